/** The definition of a flow; changes require the operator role. */
import { queryOptions } from "@tanstack/react-query";
import { api, changing, unwrap, unwrapDone, unwrapTagged } from "@/api/client";
import { actOnFlows } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { FlowDescription, OrderDryRun } from "@/api/types";

/** A flow with its version, as a form is opened on it; a change names the version: a later one refuses the change. */
export function flowVersionQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["flow-version", source, target],
    queryFn: ({ signal }) => {
      const params = { path: { source, target } };
      return unwrapTagged(api.GET("/api/v2/replications/{source}/{target}", { params, signal }));
    },
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
}

/** Changes the owner, criticality, labels or runbook of a flow. */
export async function describeFlow(
  { source, target }: FlowAddress,
  change: FlowDescription & { comment: string },
  etag: string | null,
): Promise<void> {
  await unwrap(
    api.PATCH("/api/v2/replications/{source}/{target}", {
      params: { path: { source, target } },
      body: change,
      headers: changing(etag),
    }),
  );
}

interface Switched {
  /** of the changed flow */
  etag: string | null;
  /** the id of the order; null: nothing was ordered, as it was in this state */
  order: number | null;
}

/** Enables or disables a flow. */
export async function switchFlow(
  { source, target }: FlowAddress,
  enabled: boolean,
  comment: string,
  etag: string | null,
): Promise<Switched> {
  const request = api.PATCH("/api/v2/replications/{source}/{target}", {
    params: { path: { source, target } },
    body: { enabled, comment },
    headers: changing(etag),
  });
  const { data, etag: next } = await unwrapTagged(request);
  return { etag: next, order: data.order };
}

/** The effect of enabling or disabling a flow. */
export async function rehearseSwitch(
  flow: FlowAddress,
  action: "enable" | "disable",
  reason: string,
): Promise<Pick<OrderDryRun, "text" | "touches">> {
  const { source, target } = flow;
  const { results, touches } = await actOnFlows({
    action,
    reason,
    flows: [{ source, target }],
    until_ms: null,
    dry_run: true,
  });
  if (touches === undefined) throw new Error("The service has sent no dry run.");
  return { text: results.map(({ text }) => text), touches };
}

/** The effect of deleting a flow. */
export async function rehearseDelete({ source, target }: FlowAddress): Promise<OrderDryRun> {
  const params = { path: { source, target }, query: { dry_run: true } };
  const answer = await unwrap(
    api.DELETE("/api/v2/replications/{source}/{target}", { params, headers: changing() }),
  );
  if (answer === undefined) throw new Error("The service has sent no dry run.");
  return answer;
}

export function deleteFlow(
  { source, target }: FlowAddress,
  reason: string,
  etag: string | null,
): Promise<void> {
  const params = { path: { source, target }, query: { reason } };
  return unwrapDone(
    api.DELETE("/api/v2/replications/{source}/{target}", { params, headers: changing(etag) }),
  );
}
