import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksQuery } from "@/api/flow/marks";
import type { FlowAddress } from "@/api/queries";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { type FlowMarks, marksOf } from "@/features/replication/charts/marks";
import { windowAt } from "@/lib/range";

/** The marks of a flow, or of one of its topics, in the range of the page. */
export function useMarks(flow: FlowAddress, topic?: string): FlowMarks {
  const range = useTimeRange();
  const { data } = useQuery(marksQuery([flow], windowAt(range, Date.now())));
  return useMemo(() => marksOf(data, { topic }), [data, topic]);
}
