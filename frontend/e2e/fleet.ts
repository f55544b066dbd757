/** A made-up fleet for pictures and browser tests: same shapes as the service, numbers from a seeded wave. */
import type { Driver, Flow, FlowRow, FlowTopic, GoneProcess } from "../src/api/types.ts";
import { someStatistics } from "../src/test/statistics.ts";

type Status = FlowRow["status"];

export interface FakeFlow {
  source: string;
  target: string;
  status: Status;
  reason: string;
  cause: FlowRow["cause"];
  /** absent: none */
  orders_in_force?: FlowRow["orders_in_force"];
  megabytes_per_second: number | null;
  latency_ms: number | null;
  lag: number | null;
  topics: number;
  tasks: [number, number];
}

/** Since when every flow is in its state. */
const SINCE_MS = Date.now() - 26 * 3_600_000;

const HEALTHY = {
  status: "healthy",
  reason: "All partitions have caught up with the source.",
  cause: null,
} as const;

export const FLEET: readonly FakeFlow[] = [
  {
    source: "us-east",
    target: "us-west",
    ...HEALTHY,
    megabytes_per_second: 180,
    latency_ms: 41,
    lag: 1750,
    topics: 148,
    tasks: [12, 12],
  },
  {
    source: "us-east",
    target: "analytics",
    ...HEALTHY,
    megabytes_per_second: 152,
    latency_ms: 66,
    lag: 2590,
    topics: 148,
    tasks: [10, 10],
  },
  {
    source: "us-east",
    target: "eu-central",
    ...HEALTHY,
    megabytes_per_second: 98.9,
    latency_ms: 120,
    lag: 5240,
    topics: 64,
    tasks: [8, 8],
  },
  {
    source: "us-west",
    target: "us-east",
    ...HEALTHY,
    megabytes_per_second: 49.3,
    latency_ms: 39,
    lag: 428,
    topics: 37,
    tasks: [6, 6],
  },
  {
    source: "eu-central",
    target: "analytics",
    status: "degraded",
    reason: "1 of 6 tasks failed. The target refuses a record of orders, partition 3: it is too large.",
    cause: {
      code: "record_too_large",
      text: "The record is too large.",
      topic: "orders",
      partition: 3,
      since_ms: SINCE_MS,
    },
    megabytes_per_second: 22.2,
    latency_ms: 2314,
    lag: 166_000,
    topics: 52,
    tasks: [5, 6],
  },
  {
    source: "us-west",
    target: "analytics",
    status: "disabled",
    reason: "Replication is switched off; at most heartbeats are sent.",
    cause: null,
    megabytes_per_second: null,
    latency_ms: null,
    lag: null,
    topics: 0,
    tasks: [0, 0],
  },
];

/** Between 0.8 and 1.2, smooth, different for each seed. */
function wave(time_ms: number, seed: number): number {
  const t = time_ms / 1000;
  const slow = Math.sin(t / 97 + seed * 2.1) * 0.11 + Math.sin(t / 31 + seed) * 0.05;
  const fast = (Math.abs(Math.sin(Math.floor(t) * 12.9898 + seed * 78.233) * 43758.5453) % 1) - 0.5;
  return 1 + slow + fast * 0.06;
}

function seedOf(key: string): number {
  let seed = 0;
  for (const letter of key) seed = (seed * 31 + (letter.codePointAt(0) ?? 0)) % 997;
  return seed;
}

const times = (value: number | null, factor: number): number | null =>
  value === null ? null : value * factor;

export function rowOf(flow: FakeFlow, time_ms: number): FlowRow {
  const seed = seedOf(`${flow.source}->${flow.target}`);
  const rate = wave(time_ms, seed);
  const latency = times(flow.latency_ms, wave(time_ms, seed + 50));
  return {
    key: `${flow.source}->${flow.target}`,
    source: flow.source,
    target: flow.target,
    status: flow.status,
    reason: flow.reason,
    cause: flow.cause,
    service: null,
    since_ms: SINCE_MS,
    orders_in_force: flow.orders_in_force ?? null,
    bytes_per_second: times(flow.megabytes_per_second, rate * 1e6),
    records_per_second: times(flow.megabytes_per_second, rate * 1050),
    lag_offsets: flow.lag === null ? null : Math.round(flow.lag * wave(time_ms, seed + 90)),
    latency_p50_ms: times(latency, 0.4),
    latency_p95_ms: latency,
    latency_p99_ms: times(latency, 1.4),
    latency_max_ms: times(latency, 1.7),
    groups: flow.topics === 0 ? null : { total: 4, ready: 2, approximate: 1, blocked: 1 },
    topics: flow.topics,
    partitions: flow.topics * 12,
    tasks_running: flow.tasks[0],
    tasks_total: flow.tasks[1],
    heartbeat_age_ms: 1000 + (time_ms % 5000),
    updated_ms: time_ms,
  };
}

const NO_STATISTICS = someStatistics();

export function settingsOf(flow: FakeFlow): Flow["settings"] {
  return {
    source: flow.source,
    target: flow.target,
    enabled: flow.status !== "disabled",
    heartbeats: true,
    tasks_max: flow.tasks[1],
    delivery: "at_least_once",
    policy: { kind: "default", separator: ".", template: null },
    topics_allow: [".*"],
    topics_deny: [],
    groups_allow: [],
    groups_deny: [],
    start: "earliest",
    gap_policy: "stop",
    problem: "",
    labels: {},
    owner: "",
    criticality: "normal",
    runbook: "",
  };
}

/** The statistics of a value that varies little. */
const latest = (value: number | null) =>
  someStatistics({
    latest: value,
    avg: value,
    min: times(value, 0.8),
    max: times(value, 1.3),
    p95: times(value, 1.2),
  });

export function flowOf(flow: FakeFlow, time_ms: number): Flow {
  const row = rowOf(flow, time_ms);
  return {
    source: row.source,
    target: row.target,
    status: row.status,
    reason: row.reason,
    cause: row.cause,
    since_ms: row.since_ms,
    orders_in_force: row.orders_in_force,
    ordered_state: row.status === "paused" ? "pause" : "run",
    metrics_age_ms: 3200,
    metrics_warning: null,
    live_age_ms: 400,
    herder_status: 1,
    served_by: "driver-1",
    service: null,
    groups: row.groups,
    topics: row.topics,
    partitions: row.partitions,
    tasks: { running: row.tasks_running, total: row.tasks_total },
    metrics: {
      records_per_second: latest(row.records_per_second),
      bytes_per_second: latest(row.bytes_per_second),
      wire_bytes_per_second: latest(row.bytes_per_second),
      lag_offsets: latest(row.lag_offsets),
      lag_ms: latest(times(row.latency_p95_ms, 3)),
      replication_latency_ms: {
        ...NO_STATISTICS,
        avg: times(row.latency_p50_ms, 1.1),
        min: times(row.latency_p50_ms, 0.3),
        p50: row.latency_p50_ms,
        p95: row.latency_p95_ms,
        p99: row.latency_p99_ms,
        max: row.latency_max_ms,
      },
      record_age_ms: NO_STATISTICS,
      checkpoint_latency_ms: { ...latest(times(row.latency_p95_ms, 17)), latest: null },
      heartbeat_age_ms: latest(row.heartbeat_age_ms),
      throttled_ratio: NO_STATISTICS,
      gaps: NO_STATISTICS,
      duplicates: NO_STATISTICS,
    },
    catch_up_ms: null,
    catch_up: null,
    limit: null,
    time_to_loss_ms: null,
    proven_until_ms: flow.status === "healthy" ? time_ms - 7_200_000 : null,
    labels: flow.target === "analytics" ? { team: "analytics" } : { team: "orders", region: flow.target },
    owner: flow.target === "analytics" ? "data-platform" : "payments",
    criticality: "normal",
    runbook: "",
    permissions: ["flows.read", "flows.act", "flows.change"],
    revisions: revisionsOf(flow),
    settings: settingsOf(flow),
  };
}

/** A driver of the flow that is not healthy is one revision behind. */
function revisionsOf({ source, tasks: [, total], status }: FakeFlow): Flow["revisions"] {
  const is_applied = status === "healthy";
  const tasks = Array.from({ length: total }, (_, slot) => ({
    task: `${source}/source/${slot}`,
    kind: "source",
    driver: `driver-${(slot % 2) + 1}`,
    applied: !is_applied && slot % 2 === 1 ? 11 : 12,
  }));
  return { desired: 12, is_applied, tasks, rejected: [] };
}

export function topicsOf(flow: FakeFlow, time_ms: number): FlowTopic[] {
  const row = rowOf(flow, time_ms);
  return ["orders", "payments", "clicks.raw", "inventory", "shipments", "user-profiles"].map(
    (topic, place) => ({
      topic,
      remote_topic: `${flow.source}.${topic}`,
      partitions: 12,
      state: topic === "orders" && flow.status === "degraded" ? "failed" : "replicating",
      records_per_second: times(row.records_per_second, 0.4 / (place + 1)),
      bytes_per_second: times(row.bytes_per_second, 0.4 / (place + 1)),
      lag_offsets: row.lag_offsets === null ? null : Math.round(row.lag_offsets / (place + 2)),
      latency_p50_ms: row.latency_p50_ms,
      latency_p95_ms: row.latency_p95_ms,
      latency_max_ms: row.latency_max_ms,
      updated_ms: time_ms,
      metrics: null,
    }),
  );
}

/** The topics with their statistics, which a request with a range gets. */
export function topicsInRange(flow: FakeFlow, time_ms: number): FlowTopic[] {
  return topicsOf(flow, time_ms).map((topic) => ({
    ...topic,
    metrics: {
      records_per_second: latest(topic.records_per_second),
      bytes_per_second: latest(topic.bytes_per_second),
      lag_offsets: latest(topic.lag_offsets),
      replication_latency_ms: latest(topic.latency_p95_ms),
    },
  }));
}

export function driversOf(time_ms: number): Driver[] {
  const common = {
    id: "driver-1",
    parent: "driver-1",
    labels: { region: "eu" },
    host: "node-7",
    version: "0.1.0",
    boot: "b1",
    targets: ["*"],
    drain: false,
    leaving: false,
    returning_until_ms: null,
    loop_lag_ms: 2,
    herder_status: 1,
  };
  const running = { started_ms: time_ms - 7_440_000, sent_ms: time_ms - 300, capacity: 1000 };
  return [
    {
      ...common,
      ...running,
      role: "control",
      pid: 4211,
      cpu_ratio: 0.021,
      rss_bytes: 118_000_000,
      tasks: 0,
      load_percent: null,
    },
    {
      ...common,
      ...running,
      role: "data",
      pid: 4218,
      cpu_ratio: 0.38,
      rss_bytes: 171_000_000,
      tasks: 21,
      load_percent: 36.5,
    },
    {
      ...common,
      ...running,
      ...{ id: "driver-2", parent: "driver-2", host: "node-8", boot: "b2" },
      role: "data",
      pid: 3977,
      cpu_ratio: 0.29,
      rss_bytes: 164_000_000,
      tasks: 21,
      load_percent: 27.5,
    },
  ];
}

export function goneDriversOf(time_ms: number): GoneProcess[] {
  return [
    {
      id: "driver-3",
      parent: "driver-3",
      role: "data",
      host: "node-9",
      pid: 30117,
      version: "0.1.0",
      first_seen_ms: time_ms - 9e8,
      last_seen_ms: time_ms - 5_400_000,
      restarted: false,
      left: false,
      tasks: 12,
    },
  ];
}

export function aliases(): string[] {
  return [...new Set(FLEET.flatMap((flow) => [flow.source, flow.target]))].sort();
}

/** The flow after it is enabled or disabled. */
export function switched(flow: FakeFlow, enabled: boolean): FakeFlow {
  if (enabled) return { ...flow, ...HEALTHY };
  return { ...flow, status: "disabled", reason: "disabled", cause: null, megabytes_per_second: null };
}

/** A flow as the list of flows has it, without what only its own answer has. */
export function listedFlowOf(flow: FakeFlow, time_ms: number) {
  const { catch_up: _catchUp, settings: _settings, ordered_state: _state, ...listed } = flowOf(flow, time_ms);
  const { record_age_ms: _age, throttled_ratio: _ratio, ...metrics } = listed.metrics;
  return { ...listed, metrics };
}

const SAMPLES = 20;

/** The flow with the averages of a range: of the values that its charts draw. */
export function flowInRange(flow: FakeFlow, from_ms: number, to_ms: number) {
  const listed = listedFlowOf(flow, to_ms);
  const step_ms = (to_ms - from_ms) / SAMPLES;
  const rows = Array.from({ length: SAMPLES }, (_, place) => rowOf(flow, from_ms + place * step_ms));
  const over = (name: "bytes_per_second" | "records_per_second" | "lag_offsets") => {
    const values = rows.map((row) => row[name]).filter((value) => value !== null);
    if (values.length === 0) return listed.metrics[name];
    const avg = values.reduce((sum, value) => sum + value, 0) / values.length;
    return { ...listed.metrics[name], avg, min: Math.min(...values), max: Math.max(...values) };
  };
  return {
    ...listed,
    metrics: {
      ...listed.metrics,
      bytes_per_second: over("bytes_per_second"),
      records_per_second: over("records_per_second"),
      lag_offsets: over("lag_offsets"),
    },
  };
}
