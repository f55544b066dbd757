/** Metrics over time of the made-up fleet, as the service answers them. */
import type { FlowRow } from "../src/api/types.ts";
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

export function series(url: URL, flow: FakeFlow) {
  const metric = url.searchParams.get("metric") ?? "";
  const isOfGroup = url.searchParams.has("group");
  const { times, ...range } = steps(url);
  const points = times.map((time_ms) => {
    const value = isOfGroup ? groupValueAt(metric, time_ms) : valueAt(flow, metric, time_ms);
    return value === null ? null : [time_ms, value, value, value, 10];
  });
  const details = points.map((point) =>
    point === null ? null : [point[1], ...SHARES.map((share) => (point[1] ?? 0) * share)],
  );
  return { metric, unit: "", ...range, points, details };
}

export function manySeries(url: URL, flows: readonly FakeFlow[]) {
  const metric = url.searchParams.get("metric") ?? "";
  const bounds = steps(url);
  const { times: _, ...range } = bounds;
  const items = flows.map((flow) => ({
    source: flow.source,
    target: flow.target,
    points: series(url, flow).points,
  }));
  return { metric, unit: "", ...range, items };
}

const FLEET_METRICS = [
  "records_per_second",
  "bytes_per_second",
  "lag_offsets",
  "replication_latency_ms",
  "replication_latency_p95_ms",
];

export function summary(url: URL, flows: readonly FakeFlow[]) {
  const { times, ...range } = steps(url);
  const all = (name: string) => {
    const sumAt = (time_ms: number) =>
      flows.reduce((sum, flow) => sum + (valueAt(flow, name, time_ms) ?? 0), 0);
    const points = times.map((time_ms) => {
      const sum = sumAt(time_ms);
      return [time_ms, sum, sum, sum, 10];
    });
    return { metric: name, unit: "", ...range, points };
  };
  return {
    as_of_ms: Date.now(),
    flows: flows.length,
    clusters: aliases().length,
    by_status: {},
    metrics: Object.fromEntries(
      FLEET_METRICS.map((name) => {
        const values = all(name).points.map((point) => point[1] ?? 0);
        const value = values.reduce((sum, one) => sum + one, 0) / Math.max(1, values.length);
        return [name, { unit: "", latest: value, avg: value, p95: value, worst_flow: null }];
      }),
    ),
    series: Object.fromEntries(FLEET_METRICS.map((name) => [name, all(name)])),
    metrics_age_ms: 3000,
    partial: [],
  };
}
