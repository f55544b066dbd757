import type { QueryClient } from "@tanstack/react-query";
import { flowVersionQuery } from "@/api/flow/flow-definition";
import { type FlowAddress, flowQuery } from "@/api/queries";

/** Reads the flow, its version and its orders in force again. */
export function refreshOrders(queries: QueryClient, flow: FlowAddress) {
  const { source, target } = flow;
  const lists = ["throttle", "throttles", "holds", "stops", "resets", "actions"].map((list) => [
    list,
    source,
    target,
  ]);
  return Promise.all(
    [flowQuery(flow).queryKey, flowVersionQuery(flow).queryKey, ...lists].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}

/** Reads again what follows from the definitions of flows. */
export function refreshDefinitions(queries: QueryClient) {
  const lists = [["flows"], ["flows-of"], ["configuration"]];
  return Promise.all(lists.map((queryKey) => queries.invalidateQueries({ queryKey })));
}
