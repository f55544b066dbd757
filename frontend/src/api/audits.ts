/** Questions and orders about audits of a flow. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, csrfToken, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { AuditMode } from "@/api/types";

const RUNNING_MS = 2_000;
const IDLE_MS = 30_000;

const auditsKey = ({ source, target }: FlowAddress) => ["audits", source, target] as const;

/** The newest audit of the flow; asked for often while it is under way. */
export function lastAuditQuery(flow: FlowAddress) {
  return queryOptions({
    queryKey: auditsKey(flow),
    queryFn: async ({ signal }) => {
      const params = { path: { ...flow }, query: { limit: 1 } };
      const list = await unwrap(api.GET("/api/v2/replications/{source}/{target}/audits", { params, signal }));
      return list.items[0] ?? null;
    },
    refetchInterval: ({ state }) => (isOpen(state.data?.state) ? RUNNING_MS : IDLE_MS),
  });
}

export function isOpen(state: string | undefined): boolean {
  return state === "requested" || state === "running";
}

export function findingsQuery(flow: FlowAddress, audit_id: number, records: number) {
  return infiniteQueryOptions({
    queryKey: [...auditsKey(flow), audit_id, "findings", records],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { ...flow, audit_id }, query: { limit: 50, cursor: pageParam } };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/audits/{audit_id}/findings", { params, signal }),
      );
    },
    initialPageParam: 0,
    getNextPageParam: (page) => (page.next_cursor === null ? null : Number(page.next_cursor)),
  });
}

const headers = () => ({ "X-CSRFToken": csrfToken() });

export function startAudit(flow: FlowAddress, mode: AuditMode) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/audits", {
      params: { path: { ...flow } },
      body: { mode, sample: 10, strict: false },
      headers: headers(),
    }),
  );
}

export function cancelAudit(flow: FlowAddress, audit_id: number) {
  return unwrap(
    api.DELETE("/api/v2/replications/{source}/{target}/audits/{audit_id}", {
      params: { path: { ...flow, audit_id } },
      headers: headers(),
    }),
  );
}
