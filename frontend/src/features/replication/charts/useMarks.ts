import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { FlowAddress } from "@/api/queries";
import { happeningsQuery } from "@/api/topic";
import type { MarksReader } from "@/components/chart/marks";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { marksOf } from "@/features/replication/charts/marks";
import { windowAt } from "@/lib/range";

interface Marks {
  marks: MarksReader;
  count: number;
  /** true: older ones of the range are not among them */
  isCut: boolean;
}

/** The marks of a flow, or of one of its topics, in the range of the page; and their number. */
export function useMarks(flow: FlowAddress, topic?: string): Marks {
  const range = useTimeRange();
  const { data } = useQuery(happeningsQuery(flow, windowAt(range, Date.now())));
  return useMemo(() => {
    const found = data === undefined ? [] : marksOf(data, topic);
    return { marks: () => found, count: found.length, isCut: data?.isCut ?? false };
  }, [data, topic]);
}
