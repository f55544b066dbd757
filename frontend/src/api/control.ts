/** REST queries of a flow's throttles, holds, stops and resets, which require the operator role. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, cursorOf, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { ThrottleList } from "@/api/types";

const ORDERS_MS = 5_000;

/** The throttle of the whole flow in bytes per second; null: none is set. */
export function throttleQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["throttle", source, target],
    queryFn: async ({ signal }) => {
      const params = { path: { source, target } };
      const answer = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/throttle", { params, signal }),
      );
      return answer.bytes_per_second;
    },
    refetchInterval: ORDERS_MS,
  });
}

const UNLIMITED = "unlimited";

/** The throttle of the whole flow in the configuration: the settings that limit it; none: nothing does. */
export function configuredThrottleQuery({ source, target }: FlowAddress) {
  return queryOptions({
    queryKey: ["throttle", source, target, "configured"],
    queryFn: async ({ signal }) => {
      const query = { client: "flow", key: "srm.throttle.", only_set: true };
      const params = { path: { source, target }, query };
      const page = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/effective", { params, signal }),
      );
      return page.items.filter(({ value }) => value !== null && value !== "" && value !== UNLIMITED);
    },
    staleTime: ORDERS_MS,
    retry: false,
  });
}

/** A throttle of a flow, a topic or a partition. */
export interface ThrottleSet {
  bytes_per_second: number;
  until_ms: number | null;
}

/** The throttle that is set now; null: none is. Without a scope, that of the whole flow. */
export async function throttleNow(
  { source, target }: FlowAddress,
  scope: { topic: string; partition: number | null } | undefined,
): Promise<ThrottleSet | null> {
  const path = { source, target };
  if (scope === undefined) {
    const request = api.GET("/api/v2/replications/{source}/{target}/throttle", { params: { path } });
    const { bytes_per_second, until_ms } = await unwrap(request);
    return bytes_per_second === null ? null : { bytes_per_second, until_ms };
  }
  let cursor: string | null = null;
  do {
    const query: { cursor?: string } = cursorOf(cursor);
    const params = { path, query };
    const page: ThrottleList = await unwrap(
      api.GET("/api/v2/replications/{source}/{target}/throttles", { params }),
    );
    const found = page.items.find(
      ({ topic, partition }) => topic === scope.topic && partition === scope.partition,
    );
    if (found !== undefined) return found;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return null;
}

/** Topics and partitions that are held, whose topic contains `q`; `topics` is the number of all of these topics. */
export function holdsQuery({ source, target }: FlowAddress, q = "") {
  return infiniteQueryOptions({
    queryKey: ["holds", source, target, q],
    queryFn: ({ signal, pageParam }) => {
      const query = { ...(q === "" ? {} : { q }), ...cursorOf(pageParam) };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/holds", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ORDERS_MS,
  });
}

/** Topics and partitions that no task has. */
export function stopsQuery({ source, target }: FlowAddress) {
  return infiniteQueryOptions({
    queryKey: ["stops", source, target],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { source, target }, query: cursorOf(pageParam) };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/stops", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ORDERS_MS,
  });
}

/** Topics and partitions that are throttled. */
export function topicThrottlesQuery({ source, target }: FlowAddress) {
  return infiniteQueryOptions({
    queryKey: ["throttles", source, target],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { source, target }, query: cursorOf(pageParam) };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/throttles", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ORDERS_MS,
  });
}

/** Pending resets, and those that ended within a day. */
export function resetsQuery({ source, target }: FlowAddress) {
  return infiniteQueryOptions({
    queryKey: ["resets", source, target],
    queryFn: ({ signal, pageParam }) => {
      const params = { path: { source, target }, query: cursorOf(pageParam) };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/resets", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: ORDERS_MS,
  });
}
