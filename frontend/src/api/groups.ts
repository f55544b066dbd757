/** REST queries of consumer groups, the order to sync their offsets, and translations. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, csrfToken, cursorOf, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { GroupReadiness, GroupsOrdering, PlaceToTranslate } from "@/api/types";

const ROUND_MS = 5_000;
const LISTED_GROUPS = 100;
const RECEIPTS = 1_000;
const WAIT_MS = 20_000;

export const groupsKey = ({ source, target }: FlowAddress) => ["groups", source, target] as const;

export interface GroupsFilter {
  q: string;
  readiness: GroupReadiness | undefined;
  ordering: GroupsOrdering;
}

/** The groups of a flow that match, after the last round of their checkpoint tasks. */
export function groupsQuery(flow: FlowAddress, { q, readiness, ordering }: GroupsFilter) {
  return infiniteQueryOptions({
    queryKey: [...groupsKey(flow), q, readiness ?? "", ordering],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        limit: LISTED_GROUPS,
        ordering,
        ...(q === "" ? {} : { q }),
        ...(readiness === undefined ? {} : { readiness }),
        ...cursorOf(pageParam),
      };
      const params = { path: { ...flow }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/groups", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    placeholderData: keepPreviousData,
    refetchInterval: ROUND_MS,
  });
}

/** The groups that committed offsets of a topic of the source. */
export function topicGroupsQuery(
  flow: FlowAddress,
  topic: string,
  { q, ordering }: { q: string; ordering: GroupsOrdering | undefined },
) {
  return infiniteQueryOptions({
    queryKey: [...groupsKey(flow), "topic", topic, q, ordering],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        topic,
        q,
        limit: LISTED_GROUPS,
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      const params = { path: { ...flow }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/groups", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: 2 * ROUND_MS,
  });
}

/** The partitions of a group as both clusters have them now; asked again only on demand, because brokers answer. */
export function groupPlacesQuery(flow: FlowAddress, group: string) {
  return queryOptions({
    queryKey: [...groupsKey(flow), "partitions", group],
    queryFn: ({ signal }) => {
      const params = { path: { ...flow, group } };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/groups/{group}/partitions", { params, signal }),
      );
    },
    retry: false,
  });
}

/** Writes the offsets of groups (none: of all) to the target; a dry run only says what it would write. */
export function syncGroups(flow: FlowAddress, groups: readonly string[], dry_run: boolean, reason: string) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/groups/sync", {
      params: { path: { ...flow } },
      body: { groups: [...groups], dry_run, reason, limit: RECEIPTS, wait_ms: WAIT_MS },
      headers: { "X-CSRFToken": csrfToken() },
    }),
  );
}

/** The place of an offset on the other cluster of the flow; it changes nothing. */
export function translateOffset(flow: FlowAddress, place: PlaceToTranslate) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/translate", {
      params: { path: { ...flow } },
      body: { items: [place], wait_ms: WAIT_MS },
      headers: { "X-CSRFToken": csrfToken() },
    }),
  );
}
