/** Every flow over the range of the page, as REST has it: statistics, outlook, proof and description. */
import { useQuery } from "@tanstack/react-query";
import { flowFactsQuery } from "@/api/queries";
import type { ListedFlow } from "@/api/types";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useFlow, useFlows } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

/** A flow with the throughput of the page's range: live, or the average of a range in the past. */
export function useShownFlow(key: string): FlowRow | undefined {
  const flow = useFlow(key);
  const shown = useInRange();
  return flow === undefined ? undefined : shown(flow);
}

/** Every flow with the throughput of the page's range. */
export function useShownFlows(): readonly FlowRow[] {
  const shown = useInRange();
  return (useFlows() ?? []).map(shown);
}

function useInRange(): (flow: FlowRow) => FlowRow {
  const facts = useFlowFacts();
  const isPast = useTimeRange().to_ms !== null;
  if (!isPast) return (flow) => flow;
  return (flow) => ({
    ...flow,
    bytes_per_second: facts?.get(flow.key)?.metrics.bytes_per_second.avg ?? null,
  });
}

/** Returns the facts by the key of the flow; undefined while they load. */
export function useFlowFacts(): ReadonlyMap<string, ListedFlow> | undefined {
  return useFlowFactsAnswer().data;
}

export function useFlowFactsAnswer() {
  return useQuery(flowFactsQuery(useTimeRange()));
}
