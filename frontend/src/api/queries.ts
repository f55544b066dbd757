/** The page's REST queries, with their cache keys and lifetimes. */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, unwrap, wholeOf } from "@/api/client";
import { storedSeries } from "@/api/stored-series";
import type { FleetMetricName, ManyMetricName, MetricName, TopicOrdering, TopicStatistic } from "@/api/types";
import { type TimeRange, windowAt } from "@/lib/range";
import { flowKey } from "@/live/flow-row";

const SLOW_MS = 30_000;
const STATUS_MS = 5_000;
const SELDOM_MS = 30_000;

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: ({ signal }) => unwrap(api.GET("/api/v2/me", { signal })),
  staleTime: Number.POSITIVE_INFINITY,
});

/** Reads all flows, page after page. */
async function allFlows(window: { from_ms?: number; to_ms?: number }, signal: AbortSignal) {
  const flows = [];
  let cursor: string | null = null;
  let as_of_ms = 0;
  do {
    const query: { cursor?: string } = { ...window, ...(cursor === null ? {} : { cursor }) };
    const page = await unwrap(api.GET("/api/v2/replications", { params: { query }, signal }));
    flows.push(...page.items);
    as_of_ms = page.as_of_ms;
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { flows, as_of_ms };
}

/** All flows now. */
export const flowsQuery = queryOptions({
  queryKey: ["flows"],
  queryFn: ({ signal }) => allFlows({}, signal),
  staleTime: STATUS_MS,
});

/** The parts of the system that are missing in the list of flows; one flow is asked for, since they are those of all. */
export const missingPartsQuery = queryOptions({
  queryKey: ["missing-parts"],
  queryFn: async ({ signal }) => {
    const params = { query: { limit: 1 } };
    return (await unwrap(api.GET("/api/v2/replications", { params, signal }))).partial;
  },
  refetchInterval: STATUS_MS,
});

/** All flows with their statistics over a range, by the key of the flow. */
export function flowFactsQuery(range: TimeRange) {
  return queryOptions({
    queryKey: ["flows", "facts", rangeKey(range)],
    queryFn: async ({ signal }) => {
      const { flows } = await allFlows(windowAt(range, Date.now()), signal);
      return new Map(flows.map((flow) => [flowKey(flow.source, flow.target), flow]));
    },
    refetchInterval: refreshOf(range),
    staleTime: SLOW_MS,
    placeholderData: keepPreviousData,
  });
}

export interface FlowAddress {
  source: string;
  target: string;
}

/** A flow now; with a range, its statistics are of the range. */
export function flowQuery({ source, target }: FlowAddress, range?: TimeRange) {
  return queryOptions({
    queryKey: ["flow", source, target, ...(range === undefined ? [] : [rangeKey(range)])],
    queryFn: ({ signal }) => {
      const query = range === undefined ? {} : windowAt(range, Date.now());
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}", { params, signal }));
    },
    refetchInterval: 2 * STATUS_MS,
  });
}

/** A statistic of a range, by which the service orders topics. */
export interface RankedRange {
  range: TimeRange;
  statistic: NonNullable<TopicStatistic>;
}

/** The topics whose name contains `q`, with a range their statistics over it; the service orders all of them. */
export function flowTopicsQuery(
  { source, target }: FlowAddress,
  q: string,
  ordering?: TopicOrdering,
  ranked?: RankedRange,
) {
  const range = ranked?.range;
  return infiniteQueryOptions({
    queryKey: [
      ...["flow-topics", source, target, q, ordering ?? ""],
      ...(ranked === undefined ? [] : [rangeKey(ranked.range), ranked.statistic]),
    ],
    queryFn: ({ signal, pageParam }) => {
      const query = {
        ...(q === "" ? {} : { q }),
        ...(ordering === undefined ? {} : { ordering }),
        ...(pageParam === null ? {} : { cursor: pageParam }),
        ...(ranked === undefined
          ? {}
          : { ...windowAt(ranked.range, Date.now()), statistic: ranked.statistic }),
      };
      const params = { path: { source, target }, query };
      return unwrap(api.GET("/api/v2/replications/{source}/{target}/topics", { params, signal }));
    },
    initialPageParam: null as string | null,
    getNextPageParam: (page) => page.next_cursor,
    refetchInterval: range === undefined ? 2 * STATUS_MS : refreshOf(range),
    placeholderData: keepPreviousData, // the heading that was pressed keeps the focus
  });
}

/** The refetch interval of stored points; live points cover newer times. */
function refreshOf(range: TimeRange): number | false {
  return range.to_ms === null ? Math.max(SLOW_MS, range.step_ms) : false;
}

export function rangeKey(range: TimeRange): string {
  return range.preset ?? `${range.from_ms}-${range.to_ms}`;
}

/** A part of a flow that has its own series. */
export type SeriesPart = { group: string } | { topic: string };

/** A metric of a flow over time, or of one of its consumer groups or topics. */
export function seriesQuery(
  { source, target }: FlowAddress,
  metric: MetricName,
  range: TimeRange,
  part?: SeriesPart,
) {
  return queryOptions({
    queryKey: ["series", source, target, metric, rangeKey(range), part ?? {}],
    queryFn: async ({ signal }) => {
      const now_ms = Date.now();
      const query = {
        metric,
        step_ms: range.step_ms,
        ...windowAt(range, now_ms),
        ...part,
      };
      const params = { path: { source, target }, query };
      const answer = await unwrap(
        api.GET("/api/v2/replications/{source}/{target}/series", { params, signal }),
      );
      return storedSeries(answer, range.to_ms === null ? now_ms : null);
    },
    refetchInterval: refreshOf(range),
    staleTime: SLOW_MS,
  });
}

/** One metric of every flow, in one request, by the key of the flow. */
export function manySeriesQuery(metric: ManyMetricName, range: TimeRange) {
  return queryOptions({
    queryKey: ["series", "flows", metric, rangeKey(range)],
    queryFn: async ({ signal }) => {
      const now_ms = Date.now();
      const query = { metric, step_ms: range.step_ms, ...windowAt(range, now_ms) };
      const { items, ...bounds } = await unwrap(
        api.GET("/api/v2/metrics/flows", { params: { query }, signal }),
      );
      const settled_ms = range.to_ms === null ? now_ms : null;
      return new Map(
        items.map(({ source, target, points, p95 }) => [
          flowKey(source, target),
          storedSeries({ ...bounds, points, p95 }, settled_ms),
        ]),
      );
    },
    refetchInterval: refreshOf(range),
    staleTime: SLOW_MS,
  });
}

/** All flows together: the small lines of the tiles. */
export function summaryQuery(range: TimeRange) {
  return queryOptions({
    queryKey: ["series", "summary", rangeKey(range)],
    queryFn: async ({ signal }) => {
      const now_ms = Date.now();
      const query = { step_ms: range.step_ms, ...windowAt(range, now_ms) };
      const summary = await unwrap(api.GET("/api/v2/metrics/summary", { params: { query }, signal }));
      const settled_ms = range.to_ms === null ? now_ms : null;
      const names = Object.keys(summary.series) as FleetMetricName[];
      const stored = new Map(names.map((name) => [name, storedSeries(summary.series[name], settled_ms)]));
      return {
        metrics: summary.metrics,
        series: (metric: FleetMetricName) => stored.get(metric),
      };
    },
    refetchInterval: refreshOf(range),
    staleTime: SLOW_MS,
  });
}

export const clustersQuery = queryOptions({
  queryKey: ["clusters"],
  queryFn: ({ signal }) =>
    wholeOf((query) => unwrap(api.GET("/api/v2/clusters", { params: { query }, signal }))),
  refetchInterval: STATUS_MS,
});

/** The same for readers whom drivers tell of a lost cluster sooner. */
export const seldomClustersQuery = queryOptions({ ...clustersQuery, refetchInterval: SELDOM_MS });

export const driversQuery = queryOptions({
  queryKey: ["drivers"],
  queryFn: ({ signal }) =>
    wholeOf((query) => unwrap(api.GET("/api/v2/drivers", { params: { query }, signal }))),
  refetchInterval: STATUS_MS,
});

export const remoteServicesQuery = queryOptions({
  queryKey: ["remote-services"],
  queryFn: ({ signal }) =>
    wholeOf((query) => unwrap(api.GET("/api/v2/remote-services", { params: { query }, signal }))),
  refetchInterval: STATUS_MS,
});

/** Flows, topics by both names, consumer groups, clusters and property keys whose names contain a text. */
export function searchQuery(q: string) {
  return queryOptions({
    queryKey: ["search", q],
    queryFn: ({ signal }) =>
      unwrap(api.GET("/api/v2/search", { params: { query: { q, limit: 8 } }, signal })),
    enabled: q.length >= 2,
    staleTime: SLOW_MS,
  });
}
