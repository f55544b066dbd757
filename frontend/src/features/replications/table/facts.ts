/** Every flow over the range of the page, as REST has it: statistics, outlook, proof and description. */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { flowFactsQuery } from "@/api/queries";
import type { ListedFlow } from "@/api/types";
import { useTimeRange } from "@/components/TimeRangeSelect";
import type { FlowRow } from "@/live/flow-row";

/** Returns what shows a flow with the throughput of the page's range: live, or the average of a range in the past. */
export function useInRange(): (flow: FlowRow) => FlowRow {
  const facts = useFlowFacts();
  const isPast = useTimeRange().to_ms !== null;
  const past = isPast ? facts : null;
  return useCallback(
    (flow) =>
      past === null
        ? flow
        : { ...flow, bytes_per_second: past?.get(flow.key)?.metrics.bytes_per_second.avg ?? null },
    [past],
  );
}

/** Returns the facts by the key of the flow; undefined while they load. */
export function useFlowFacts(): ReadonlyMap<string, ListedFlow> | undefined {
  return useFlowFactsAnswer().data;
}

export function useFlowFactsAnswer() {
  return useQuery(flowFactsQuery(useTimeRange()));
}
