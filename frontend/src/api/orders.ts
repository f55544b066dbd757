/** Orders for a running flow, which require the operator role, and their progress. */
import { queryOptions } from "@tanstack/react-query";
import { api, csrfToken, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { Action, FlowAction, Hold, HoldOrder, OrderDryRun, ResetList, ResetOrder } from "@/api/types";

const PROGRESS_MS = 1_000;

const headers = () => ({ "X-CSRFToken": csrfToken() });

/** Pauses or resumes a flow; `until_ms` ends a pause automatically, null leaves it until it is resumed. A dry run
 * only reports what would change. */
export function actOnFlow(
  flow: FlowAddress,
  action: FlowAction["action"],
  reason: string,
  until_ms: number | null,
  dry_run: boolean,
) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/actions", {
      params: { path: { ...flow } },
      body: { action, reason, dry_run, ...(until_ms === null ? {} : { until_ms }) },
      headers: headers(),
    }),
  );
}

function isOpen(state: Action["state"] | undefined): boolean {
  return state === undefined || state === "ordered" || state === "published";
}

/** The progress of an ordered change, read each second until every task has applied it. */
export function actionQuery({ source, target }: FlowAddress, action_id: number) {
  return queryOptions({
    queryKey: ["action", source, target, action_id],
    queryFn: ({ signal }) => {
      const params = { path: { source, target, action_id } };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/actions/{action_id}", { params, signal }),
      );
    },
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? PROGRESS_MS : false),
  });
}

/** Limits the whole flow; null removes the limit. */
export function setThrottle(flow: FlowAddress, bytes_per_second: number | null, dry_run: boolean) {
  const path = { ...flow };
  const answer =
    bytes_per_second === null
      ? api.DELETE("/api/v2/replications/{source}/{target}/throttle", {
          params: { path, query: { dry_run } },
          headers: headers(),
        })
      : api.PUT("/api/v2/replications/{source}/{target}/throttle", {
          params: { path },
          body: { bytes_per_second, reason: "", dry_run },
          headers: headers(),
        });
  return unwrap(answer);
}

type HoldWanted = Omit<HoldOrder, "dry_run">;

function postHold(flow: FlowAddress, body: HoldOrder) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/holds", {
      params: { path: { ...flow } },
      body,
      headers: headers(),
    }),
  );
}

// The service answers an order with the hold, and a dry run with its effect.
export function setHold(flow: FlowAddress, wanted: HoldWanted): Promise<Hold> {
  return postHold(flow, { ...wanted, dry_run: false }) as Promise<Hold>;
}

export function rehearseHold(flow: FlowAddress, wanted: HoldWanted): Promise<OrderDryRun> {
  return postHold(flow, { ...wanted, dry_run: true }) as Promise<OrderDryRun>;
}

export function releaseHold(flow: FlowAddress, hold_id: number) {
  return unwrap(
    api.DELETE("/api/v2/replications/{source}/{target}/holds/{hold_id}", {
      params: { path: { ...flow, hold_id } },
      headers: headers(),
    }),
  );
}

// The service answers an order with its resets, and a dry run with its effect.
export function requestReset(flow: FlowAddress, wanted: Omit<ResetOrder, "dry_run">): Promise<ResetList> {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/resets", {
      params: { path: { ...flow } },
      body: { ...wanted, dry_run: false },
      headers: headers(),
    }),
  ) as Promise<ResetList>;
}

export function withdrawReset(flow: FlowAddress, reset_id: string) {
  return unwrap(
    api.DELETE("/api/v2/replications/{source}/{target}/resets/{reset_id}", {
      params: { path: { ...flow, reset_id } },
      headers: headers(),
    }),
  );
}
