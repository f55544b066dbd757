/** A gateway also shows the flows of other services: what it can answer of them, and what a person may do with one. */
import { useQuery } from "@tanstack/react-query";
import { type Permission, useMay } from "@/api/personal";
import { type FlowAddress, flowQuery } from "@/api/queries";
import { useFlowPart } from "@/live/context";
import { flowKey } from "@/live/flow-row";

/** The address of the service that reports a flow; null: this service, or not known yet. */
export function useServiceOf({ source, target }: FlowAddress): string | null {
  const live = useFlowPart(flowKey(source, target), "service");
  const { data } = useQuery({ ...flowQuery({ source, target }), enabled: false });
  return live ?? data?.service ?? null;
}

/** True if the person may do this with the flow: a flow can allow less than the role. */
export function useMayFlow(flow: FlowAddress, permission: Permission): boolean {
  const isAllowed = useMay(permission);
  const service = useServiceOf(flow);
  const { data } = useQuery({ ...flowQuery(flow), enabled: false });
  const allowed: readonly string[] = data?.permissions ?? [permission];
  return isAllowed && service === null && allowed.includes(permission);
}

/** True if this service has the tab of a flow: other services answer for their flows only these two. Pure. */
export function isTabHere(service: string | null, tab: string | undefined): boolean {
  return service === null || tab === undefined || tab === "topics";
}

/** The page of a flow at the service that reports it. Pure. */
export function pageAt(service: string, { source, target }: FlowAddress): string {
  return `${service}/replications/${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
}
