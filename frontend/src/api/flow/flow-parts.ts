/** Queries of what a flow consists of: partitions, tasks, events. */
import { infiniteQueryOptions, keepPreviousData } from "@tanstack/react-query";
import { api, cursorOf, unwrap } from "@/api/client";
import type { FlowAddress } from "@/api/queries";
import type { EventOrdering, PartitionOrdering, TaskOrdering } from "@/api/types";

const REFRESH_MS = 5_000;
const PARTITIONS_AT_ONCE = 200;

/** The partitions of a topic of the source, ordered by the service. */
export function partitionsQuery(
  { source, target }: FlowAddress,
  topic: string,
  ordering: PartitionOrdering | undefined,
) {
  return infiniteQueryOptions({
    queryKey: ["partitions", source, target, topic, ordering ?? ""],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        limit: PARTITIONS_AT_ONCE,
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      const params = { path: { source, target, topic }, query };
      return unwrap(
        api.GET("/api/v2/replications/{source}/{target}/topics/{topic}/partitions", { params, signal }),
      );
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

/** The tasks of a flow, ordered by the service. */
export function flowTasksQuery({ source, target }: FlowAddress, ordering: TaskOrdering | undefined) {
  return infiniteQueryOptions({
    queryKey: ["flow-tasks", source, target, ordering ?? ""],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        source,
        target,
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      return unwrap(api.GET("/api/v2/tasks", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

/** The newest first without an order; `topic` is that of the source. */
export function flowEventsQuery(
  { source, target }: FlowAddress,
  topic: string,
  ordering: EventOrdering | undefined,
) {
  return infiniteQueryOptions({
    queryKey: ["flow-events", source, target, topic, ordering ?? ""],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        source,
        target,
        ...(topic === "" ? {} : { topic }),
        ...(ordering === undefined ? {} : { ordering }),
        ...cursorOf(pageParam),
      };
      return unwrap(api.GET("/api/v2/events", { params: { query }, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}
