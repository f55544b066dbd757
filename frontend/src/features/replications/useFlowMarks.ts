import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { marksQuery } from "@/api/flow/marks";
import type { ChartFlow } from "@/components/chart/flow-lines";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { type FlowMarks, marksOf } from "@/features/replication/charts/marks";
import { windowAt } from "@/lib/range";
import { flowKey } from "@/live/flow-row";

/** The marks of the flows that a chart draws, each with the name of its flow; `only` is the key of one of them. */
export function useFlowMarks(flows: readonly ChartFlow[], only: string | null): FlowMarks {
  const range = useTimeRange();
  const { data } = useQuery({
    ...marksQuery(flows, windowAt(range, Date.now())),
    placeholderData: keepPreviousData, // the marks stay while those of the next seconds are read
  });
  return useMemo(() => {
    const drawn = new Set(only === null ? flows.map(({ key }) => key) : [only]);
    const isDrawn = ({ source, target }: { source: string; target: string }) =>
      drawn.has(flowKey(source, target));
    const found = data && { ...data, events: data.events.filter(isDrawn), gaps: data.gaps.filter(isDrawn) };
    return marksOf(found, { namesFlow: true });
  }, [data, flows, only]);
}
