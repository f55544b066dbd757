/** REST queries and mutations of audits. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, csrfToken, cursorOf, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { Audit, AuditMode, AuditState, FindingOrdering } from "@/api/types";

const RUNNING_MS = 2_000;
const IDLE_MS = 30_000;
const LISTED_AUDITS = 10;
const LISTED_TOPICS = 20;

export const auditsKey = ({ source, target }: FlowAddress) => ["audits", source, target] as const;

/** The newest audits of the flow, newest first; polled frequently while one is running. */
export function auditsQuery(flow: FlowAddress) {
  return queryOptions({
    queryKey: auditsKey(flow),
    queryFn: async ({ signal }) => {
      const params = { path: { ...flow }, query: { limit: LISTED_AUDITS } };
      const list = await unwrap(api.GET("/api/v2/replications/{source}/{target}/audits", { params, signal }));
      return list.items;
    },
    refetchInterval: ({ state }) => (isOpen(state.data?.[0]?.state) ? RUNNING_MS : IDLE_MS),
  });
}

/** The combined audit result of each topic, the worst first; refetched when the newest audit makes progress. */
export function auditStateQuery(flow: FlowAddress, newest: Audit) {
  return queryOptions({
    queryKey: [...auditsKey(flow), "state", newest.id, newest.state, newest.topics_done],
    queryFn: ({ signal }) => {
      const params = { path: { ...flow }, query: { limit: LISTED_TOPICS } };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/audits/state", { params, signal }));
    },
    placeholderData: keepPreviousData,
    refetchInterval: IDLE_MS,
  });
}

/** The combined audit result of one topic; null if no audit covered it. */
export function topicAuditsQuery(flow: FlowAddress, topic: string) {
  return queryOptions({
    queryKey: [...auditsKey(flow), "state", "topic", topic],
    queryFn: async ({ signal }) => {
      const params = { path: { ...flow }, query: { topic } };
      const path = "/api/v2/replications/{source}/{target}/audits/state";
      const { topics } = await unwrap(api.GET(path, { params, signal }));
      return topics[0] ?? null;
    },
    refetchInterval: IDLE_MS,
  });
}

/** What a full audit of the flow would read. */
export function auditEstimateQuery(flow: FlowAddress) {
  return queryOptions({
    queryKey: [...auditsKey(flow), "estimate"],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET("/api/v2/replications/{source}/{target}/audits/estimate", {
          params: { path: { ...flow } },
          signal,
        }),
      ),
    staleTime: RUNNING_MS,
  });
}

/** The download URL of an audit's report. */
export function reportAddress({ source, target }: FlowAddress, audit_id: number): string {
  const flow = [source, target].map(encodeURIComponent).join("/");
  return `/api/v2/replications/${flow}/audits/${audit_id}/report`;
}

export function isOpen(state: AuditState | undefined): boolean {
  return state === "requested" || state === "running";
}

/** The findings of an audit, ordered by the service; `records` found so far. */
export function findingsQuery(
  flow: FlowAddress,
  audit_id: number,
  records: number,
  ordering: FindingOrdering | undefined,
) {
  return infiniteQueryOptions({
    queryKey: [...auditsKey(flow), audit_id, "findings", records, ordering],
    queryFn: ({ signal, pageParam }) => {
      const query = { limit: 50, ...(ordering === undefined ? {} : { ordering }), ...cursorOf(pageParam) };
      const params = { path: { ...flow, audit_id }, query };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/audits/{audit_id}/findings", { params, signal }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
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
