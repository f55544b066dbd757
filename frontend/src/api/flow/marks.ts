/** What happened to flows in a range, for the marks on their charts. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import { flowKey } from "@/live/flow-row";

const FRESH_MS = 10_000;

/** Events and gaps of these flows, and versions of the configuration, in one answer; the newest of each kind. */
export function marksQuery(flows: readonly FlowAddress[], window: { from_ms: number; to_ms: number }) {
  const flow = flows.map(({ source, target }) => flowKey(source, target));
  return queryOptions({
    queryKey: ["marks", ...flow, window.from_ms, window.to_ms],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/marks", { params: { query: { flow, ...window } }, signal })),
    staleTime: FRESH_MS,
    enabled: flow.length > 0,
    placeholderData: keepPreviousData, // the marks stay while those of the next seconds are read
  });
}
