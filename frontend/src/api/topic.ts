/** Queries of one topic of a flow on both clusters, of the states of all topics, and of gaps. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, csrfToken, cursorOf, unwrap } from "@/api/client";
import { type FlowAddress, rangeKey } from "@/api/queries";
import type { GapOrdering, RecordPair, Side, TopicStateOrdering, TopicStateWord } from "@/api/types";
import { type TimeRange, windowAt } from "@/lib/range";

const REFRESH_MS = 10_000;
const MOST_CONFIGS = 500;

export interface TopicAddress extends FlowAddress {
  topic: string;
}

/** The topic now; with a range, also its statistics over it. */
export function topicQuery({ source, target, topic }: TopicAddress, range?: TimeRange) {
  return queryOptions({
    queryKey: ["topic", source, target, topic, range === undefined ? "" : rangeKey(range)],
    queryFn: ({ signal }) => {
      const query = range === undefined ? {} : windowAt(range, Date.now());
      const params = { path: { source, target, topic }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/topics/{topic}", { params, signal }));
    },
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

/** The topics of the source cluster in one state, or in any; the control worker of the target answers. */
export function topicStatesQuery(
  { source, target }: FlowAddress,
  state: TopicStateWord | null,
  q: string,
  ordering?: TopicStateOrdering,
) {
  return infiniteQueryOptions({
    queryKey: ["topic-states", source, target, state, q, ordering ?? ""],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...(state === null ? { limit: 1 } : { state }),
        ...(q === "" ? {} : { search: q }),
        ...(ordering === undefined ? {} : { ordering }),
        ...(pageParam === null ? {} : { after: pageParam }),
      };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/topic-states", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_after,
    staleTime: REFRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

const FOUND_MS = 60_000;

/** The first topics of the source with this text in their name, in any state: those that are copied are last. */
export function topicsFoundQuery({ source, target }: FlowAddress, search: string, limit: number) {
  return queryOptions({
    queryKey: ["topics-found", source, target, search, limit],
    queryFn: ({ signal }) => {
      const params = { path: { source, target }, query: { search, limit, ordering: "state" as const } };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/topic-states", { params, signal }));
    },
    retry: false, // the service has waited for the control worker already
    staleTime: FOUND_MS,
  });
}

/** The configs in which the remote topic differs from its upstream topic, or all of them. */
export function driftQuery({ source, target, topic }: TopicAddress, withEqual: boolean) {
  return queryOptions({
    queryKey: ["drift", source, target, topic, withEqual],
    queryFn: ({ signal }) => {
      const query = { topic, limit: MOST_CONFIGS, ...(withEqual ? { with_equal: true } : {}) };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/drift", { params, signal }));
    },
    staleTime: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
}

const FACTOR = "replication.factor";

/** The replication factor with which the flow creates remote topics, as it is set; null: it is not known. */
export function factorQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["replication-factor", source, target],
    queryFn: async ({ signal }) => {
      const query = { client: "flow", key: FACTOR, only_set: false };
      const params = { path: { source, target }, query };
      const page = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/effective", { params, signal }),
      );
      return page.items.find(({ name }) => name === FACTOR)?.value ?? null;
    },
    staleTime: REFRESH_MS,
    retry: false,
  });
}

/** Begins the key of each query of a topic's configs. */
export const driftKey = ({ source, target, topic }: TopicAddress) => ["drift", source, target, topic];

/** Sets configs of the remote topic to the values that the flow sets. */
export function setConfigsAgain({ source, target, topic }: TopicAddress, keys: string[]) {
  return unwrap(
    api.POST("/api/v2/replications/{source}/{target}/drift", {
      params: { path: { source, target } },
      body: { topics: [topic], keys, wait_ms: 5_000 },
      headers: { "X-CSRFToken": csrfToken() },
    }),
  );
}

/** Source records that the flow does not copy, the newest first without an order; `topic` is that of the source. */
export function gapsQuery({ source, target }: FlowAddress, topic: string, ordering: GapOrdering | undefined) {
  return infiniteQueryOptions({
    queryKey: ["gaps", source, target, topic, ordering ?? ""],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        source,
        target,
        ...(topic === "" ? {} : { topic }),
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      return unwrap(api.GET("/api/v2/gaps", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

const WAITING_MS = 5_000;

export interface RecordAddress extends TopicAddress {
  partition: number;
  offset: number;
  /** the cluster that the offset is of */
  on: Side;
}

/** The record at an offset with the one on the other cluster; read again while its copy is under way. */
export function recordQuery(address: RecordAddress, withValue: boolean) {
  const { source, target, topic, partition, offset, on } = address;
  return queryOptions({
    queryKey: ["record", source, target, topic, partition, offset, on, withValue],
    queryFn: ({ signal }) => {
      const params = {
        path: { source, target, topic, partition, offset },
        query: { on, value: withValue },
      };
      const path =
        "/api/v2/replications/{source}/{target}/topics/{topic}/partitions/{partition}/records/{offset}";
      return unwrap(api.GET(path, { params, signal }));
    },
    // A request for values leaves an entry in the trail, so it is never repeated by itself.
    refetchInterval: ({ state }) => (!withValue && isAwaited(state.data) ? WAITING_MS : false),
    refetchIntervalInBackground: true,
    refetchOnWindowFocus: false,
    retry: false, // the service has waited for the control worker already
    staleTime: withValue ? Number.POSITIVE_INFINITY : 0,
  });
}

function isAwaited(pair: RecordPair | undefined): boolean {
  return pair?.copy.state === "not_copied_yet";
}
