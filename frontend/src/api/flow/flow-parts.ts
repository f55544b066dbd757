/** Queries of what a flow consists of: partitions, tasks, events. */
import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query";
import { api, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";

const REFRESH_MS = 5_000;
const MOST_PARTITIONS = 1_000;

export function partitionsQuery({ source, target }: FlowAddress, topic: string) {
  return queryOptions({
    queryKey: ["partitions", source, target, topic],
    queryFn: ({ signal }) => {
      const params = { path: { source, target, topic }, query: { limit: MOST_PARTITIONS } };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/topics/{topic}/partitions", { params, signal }),
      );
    },
    refetchInterval: REFRESH_MS,
  });
}

export function flowTasksQuery({ source, target }: FlowAddress) {
  return infiniteQueryOptions({
    queryKey: ["flow-tasks", source, target],
    queryFn: ({ signal, pageParam }) => {
      const query = { source, target, ...(pageParam === null ? {} : { cursor: pageParam }) };
      return unwrap(api.GET("/api/v2/tasks", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
}

/** The newest first; `topic` is that of the source. */
export function flowEventsQuery({ source, target }: FlowAddress, topic: string) {
  return infiniteQueryOptions({
    queryKey: ["flow-events", source, target, topic],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        source,
        target,
        ...(topic === "" ? {} : { topic }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
      };
      return unwrap(api.GET("/api/v2/events", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
  });
}
