import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksQuery } from "@/api/flow/marks";
import type { ChartFlow } from "@/components/chart/flow-lines";
import { type FlowMarks, marksOf } from "@/components/marks/flow-marks";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { windowAt } from "@/lib/range";

/** The marks of the flows that a chart draws, each with the name of its flow; `only` is the key of one of them. */
export function useFlowMarks(flows: readonly ChartFlow[], only: string | null): FlowMarks {
  const range = useTimeRange();
  const { data } = useQuery(marksQuery(flows, windowAt(range, Date.now())));
  return useMemo(() => {
    const drawn = flows.filter(({ key }) => only === null || key === only);
    return marksOf(data, { flows: drawn, namesFlow: true });
  }, [data, flows, only]);
}
