import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksQuery } from "@/api/flow/marks";
import type { FlowAddress } from "@/api/queries";
import { type FlowMarks, marksOf } from "@/components/marks/flow-marks";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { windowAt } from "@/lib/range";

/** The marks of a flow, or of one of its topics, in the range of the page. */
export function useMarks(flow: FlowAddress, topic?: string): FlowMarks {
  const range = useTimeRange();
  const { data } = useQuery(marksQuery([flow], windowAt(range, Date.now())));
  const { source, target } = flow;
  return useMemo(() => marksOf(data, { flows: [{ source, target }], topic }), [data, source, target, topic]);
}
