/** Typed rows and frames; a test states only what it is about. */
import type { FlowRow, KnownKey, LiveFrame } from "@/api/types";

export function aFlow(change: Partial<FlowRow> = {}): FlowRow {
  const source = change.source ?? "us-east";
  const target = change.target ?? "eu-central";
  return {
    key: `${source}->${target}`,
    source,
    target,
    status: "healthy",
    reason: "all partitions replicate",
    cause: null,
    service: null,
    since_ms: 1_700_000_000_000,
    orders_in_force: null,
    records_per_second: 1000,
    bytes_per_second: 1_000_000,
    lag_offsets: 10,
    latency_p50_ms: 5,
    latency_p95_ms: 20,
    latency_p99_ms: 30,
    latency_max_ms: 40,
    groups: { total: 3, ready: 3, approximate: 0, blocked: 0 },
    topics: 3,
    partitions: 12,
    tasks_running: 2,
    tasks_total: 2,
    heartbeat_age_ms: 1200,
    updated_ms: 1_700_000_000_000,
    ...change,
  };
}

const COLUMNS = Object.keys(aFlow()) as (keyof FlowRow)[];

export function aFrame(flows: readonly FlowRow[], change: Partial<LiveFrame> = {}): LiveFrame {
  return {
    type: "snapshot",
    topic: "flows",
    epoch: "e1",
    seq: 1,
    time_ms: 1_700_000_000_000,
    columns: COLUMNS,
    rows: flows.map((flow) => COLUMNS.map((column) => flow[column])),
    removed: [],
    ...change,
  };
}

/** An entry of the key table. */
export function aKey(key: string, change: Partial<KnownKey> = {}): KnownKey {
  return {
    key,
    owner: "flow",
    kind: "text",
    allowed: "a text",
    effect: "planning",
    levels: ["global", "connectors", "flow"],
    default: null,
    choices: [],
    description: "",
    why: "",
    change: "live",
    is_secret: false,
    old_spellings: [],
    ...change,
  };
}
