/** Metrics over time of the made-up fleet, as the service answers them. */
import type { components } from "../src/api/schema";
import { METRIC_UNITS } from "../src/api/schema-values.ts";
import type { FleetMetricName, FlowRow, ManyMetricName, MetricName } from "../src/api/types.ts";
import { aliases, type FakeFlow, rowOf } from "./fleet.ts";
import { groupValueAt } from "./groups.ts";

function steps(url: URL): { from_ms: number; to_ms: number; step_ms: number; times: number[] } {
  const number = (name: string): number => Number(url.searchParams.get(name));
  const [from_ms, to_ms, step_ms] = [number("from_ms"), number("to_ms"), number("step_ms")];
  const count = Math.floor((to_ms - from_ms) / step_ms);
  return {
    from_ms,
    to_ms,
    step_ms,
    times: Array.from({ length: count }, (_, place) => from_ms + place * step_ms),
  };
}

const STORED: Record<string, keyof FlowRow> = {
  bytes_per_second: "bytes_per_second",
  records_per_second: "records_per_second",
  replication_latency_ms: "latency_max_ms",
  replication_latency_p95_ms: "latency_p95_ms",
  lag_offsets: "lag_offsets",
  lag_ms: "latency_max_ms",
  wire_bytes_per_second: "bytes_per_second",
  heartbeat_age_ms: "heartbeat_age_ms",
  checkpoint_latency_ms: "latency_p95_ms",
};

/** The percentiles 50, 95 and 99 of the slowest, as a row of the fleet has them. */
const SHARES = [0.4 / 1.7, 1 / 1.7, 1.4 / 1.7];

function valueAt(flow: FakeFlow, metric: string, time_ms: number): number | null {
  const column = STORED[metric];
  const value = column === undefined ? null : rowOf(flow, time_ms)[column];
  return typeof value === "number" ? value : null;
}

type Schemas = components["schemas"];
type Point = Schemas["FleetSeries"]["points"][number];

/** The measured value as the average, minimum and maximum of a step with ten measurements. */
const pointAt = (time_ms: number, value: number): Point => [time_ms, value, value, value, 10];

export function series(url: URL, flow: FakeFlow): Schemas["Series"] {
  const metric = (url.searchParams.get("metric") ?? "lag_offsets") as MetricName;
  const isOfGroup = url.searchParams.has("group");
  const { times, ...range } = steps(url);
  const points = times.map((time_ms) => {
    const value = isOfGroup ? groupValueAt(metric, time_ms) : valueAt(flow, metric, time_ms);
    return value === null ? null : pointAt(time_ms, value);
  });
  const details = points.map((point) =>
    point === null ? null : [point[1], ...SHARES.map((share) => point[1] * share)],
  );
  const unit = METRIC_UNITS[metric];
  return { metric, unit, sum_unit: unit.replace("/s", ""), ...range, points, details };
}

export function manySeries(url: URL, flows: readonly FakeFlow[]): Schemas["ManySeries"] {
  const metric = (url.searchParams.get("metric") ?? "lag_offsets") as ManyMetricName;
  const { times: _, ...range } = steps(url);
  const hasPercentiles = metric === "replication_latency_ms" || metric === "record_age_ms";
  const items = flows.map((flow) => {
    const { points, details } = series(url, flow);
    const p95 = hasPercentiles ? details.map((detail) => detail?.[2] ?? null) : null;
    return { source: flow.source, target: flow.target, points, p95 };
  });
  return { metric, unit: METRIC_UNITS[metric], ...range, items };
}

const FLEET_METRICS: readonly FleetMetricName[] = [
  "records_per_second",
  "bytes_per_second",
  "lag_offsets",
  "replication_latency_ms",
  "replication_latency_p95_ms",
];

function fleetSeries(url: URL, flows: readonly FakeFlow[], metric: FleetMetricName): Schemas["FleetSeries"] {
  const { times, ...range } = steps(url);
  const points = times.map((time_ms) =>
    pointAt(
      time_ms,
      flows.reduce((sum, flow) => sum + (valueAt(flow, metric, time_ms) ?? 0), 0),
    ),
  );
  return { metric, unit: METRIC_UNITS[metric], ...range, points };
}

/** Statistics of the values of a series, with the flow that has the largest now. */
function fleetMetric(series: Schemas["FleetSeries"], flows: readonly FakeFlow[]): Schemas["FleetMetric"] {
  const values = series.points.map((point) => point?.[1] ?? 0).sort((one, other) => one - other);
  const share = (part: number) => values[Math.floor(part * (values.length - 1))] ?? null;
  const sum = values.reduce((total, one) => total + one, 0);
  const now = (flow: FakeFlow) => valueAt(flow, series.metric, series.to_ms) ?? 0;
  const worst = [...flows].sort((one, other) => now(other) - now(one))[0];
  return {
    ...{ unit: series.unit, latest: series.points.at(-1)?.[1] ?? null, sum, count: values.length },
    ...{ avg: values.length === 0 ? null : sum / values.length, min: share(0), max: share(1) },
    ...{ p50: share(0.5), p95: share(0.95), p99: share(0.99) },
    worst_flow: worst === undefined ? null : `${worst.source}->${worst.target}`,
  };
}

export function summary(url: URL, flows: readonly FakeFlow[]): Schemas["Summary"] {
  const series = FLEET_METRICS.map((name) => [name, fleetSeries(url, flows, name)] as const);
  const by_status: Record<string, number> = {};
  for (const { status } of flows) by_status[status] = (by_status[status] ?? 0) + 1;
  return {
    ...{ as_of_ms: Date.now(), flows: flows.length, clusters: aliases().length, by_status },
    metrics: byName(series.map(([name, found]) => [name, fleetMetric(found, flows)])),
    series: byName(series),
    metrics_age_ms: 3000,
    partial: [],
  };
}

function byName<Value>(entries: readonly (readonly [FleetMetricName, Value])[]) {
  return Object.fromEntries(entries) as Record<FleetMetricName, Value>;
}
