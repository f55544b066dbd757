/** The flows of the picture in the range of the page, which is read once for all clusters and lines. */
import { createContext, useContext } from "react";
import { useFlow, useFlows } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

/** What shows a flow with the throughput of the range. */
export const InRange = createContext((flow: FlowRow): FlowRow => flow);

export function useShownFlow(key: string): FlowRow | undefined {
  const flow = useFlow(key);
  const shown = useContext(InRange);
  return flow === undefined ? undefined : shown(flow);
}

export function useShownFlows(): readonly FlowRow[] {
  const shown = useContext(InRange);
  return (useFlows() ?? []).map(shown);
}
