/** REST requests of the wizard of a new flow. */
import { queryOptions, skipToken } from "@tanstack/react-query";
import { api, changing, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { FlowDefinition } from "@/api/types";

/** What the flow would do, without creating it; null asks for nothing. */
export function planQuery(flow: FlowDefinition | null) {
  return queryOptions({
    queryKey: ["flow-plan", flow],
    queryFn:
      flow === null
        ? skipToken
        : ({ signal }) =>
            unwrap(
              api.POST("/api/v2/config/plan", {
                body: { flow, wait_ms: 10_000 },
                headers: changing(),
                signal,
              }),
            ),
    staleTime: 10_000,
    retry: false,
  });
}

function create(flow: FlowDefinition) {
  return unwrap(api.POST("/api/v2/replications", { body: flow, headers: changing() }));
}

export const throttleOrder = (bytes_per_second: number) => ({
  bytes_per_second,
  reason: "limit of the new flow",
  dry_run: false,
});

export const RESUME_ORDER = { action: "resume", reason: "the throttle is set", dry_run: false } as const;

function setThrottle(flow: FlowAddress, bytes_per_second: number) {
  return unwrap(
    api.PUT("/api/v2/replications/{source}/{target}/throttle", {
      params: { path: { ...flow } },
      body: throttleOrder(bytes_per_second),
      headers: changing(),
    }),
  );
}

function resume(flow: FlowAddress) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/actions", {
      params: { path: { ...flow } },
      body: RESUME_ORDER,
      headers: changing(),
    }),
  );
}

/** The flow exists, but a step after its creation was refused. */
export class HalfDone extends Error {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`The flow is created and paused. Its throttle is not set: ${reason}`, { cause });
    this.name = "HalfDone";
  }
}

/** Creates a flow. One with a throttle begins paused, so that no record is copied faster than wanted. */
export async function createFlow(wanted: FlowDefinition, throttle: number | null) {
  const created = await create({ ...wanted, paused: wanted.paused || throttle !== null });
  const flow = { source: created.source, target: created.target };
  try {
    if (throttle !== null) await setThrottle(flow, throttle);
    if (throttle !== null && !wanted.paused) await resume(flow);
  } catch (cause) {
    throw new HalfDone(cause);
  }
  return flow;
}
