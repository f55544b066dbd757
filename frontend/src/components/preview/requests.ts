/** REST requests for what patterns would select on the source of a flow. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, changing, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { FlowDefinition } from "@/api/types";
import { linesOf } from "@/components/form/lines";
import type { Patterns } from "@/components/preview/patterns";

export type Policy = NonNullable<FlowDefinition["policy"]>;

interface Options {
  /** the naming of remote topics; absent: that of the flow */
  policy?: Policy | undefined;
  /** the most names of each list */
  limit?: number;
}

const SHOWN = 200;
/** The most names that the service lists. */
export const MOST_LISTED = 1_000;

const ASKED = { staleTime: 10_000, placeholderData: keepPreviousData, retry: false } as const;

const addressOf = ({ source, target }: Patterns): FlowAddress => ({ source, target });
const namingOf = (policy: Policy | undefined) => (policy === undefined ? {} : { policy });

/** The topics of the source that patterns would select, with the names of their remote topics. */
export function topicPreviewQuery(patterns: Patterns, { policy, limit = SHOWN }: Options = {}) {
  const flow = addressOf(patterns);
  const body = {
    allow: linesOf(patterns.topicsAllow),
    deny: linesOf(patterns.topicsDeny),
    ...namingOf(policy),
    limit,
  };
  return queryOptions({
    queryKey: ["preview", "topics", flow, body],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v2/replications/{source}/{target}/preview", {
          params: { path: { ...flow } },
          body: { ...body, wait_ms: 5_000 },
          headers: changing(),
          signal,
        }),
      ),
    ...ASKED,
  });
}

/** The consumer groups of the source that patterns would select, and whose offsets the flow translates. */
export function groupPreviewQuery(patterns: Patterns, { policy, limit = SHOWN }: Options = {}) {
  const flow = addressOf(patterns);
  const body = {
    allow: linesOf(patterns.groupsAllow),
    deny: linesOf(patterns.groupsDeny),
    topics_allow: linesOf(patterns.topicsAllow),
    topics_deny: linesOf(patterns.topicsDeny),
    ...namingOf(policy),
    limit,
  };
  return queryOptions({
    queryKey: ["preview", "groups", flow, body],
    queryFn: ({ signal }) =>
      unwrap(
        api.POST("/api/v2/replications/{source}/{target}/preview/groups", {
          params: { path: { ...flow } },
          body: { ...body, wait_ms: 10_000 },
          headers: changing(),
          signal,
        }),
      ),
    ...ASKED,
  });
}
