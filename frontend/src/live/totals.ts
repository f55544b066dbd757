/** The totals of all flows for the tiles. Pure. A sum without known values is unknown, never 0. */
import type { FlowStatus } from "@/api/types";
import type { FlowRow } from "@/live/flow-row";
import type { RingRow } from "@/live/rings";

export interface Total {
  value: number | null;
  /** the number of flows in the value */
  measured: number;
  /** the expected number: disabled and idle flows have nothing to measure */
  expected: number;
}

export interface Totals {
  flows: number;
  clusters: number;
  bytes_per_second: Total;
  records_per_second: Total;
  lag_offsets: Total;
  worst_latency: { value: number; flow: FlowRow } | null;
}

const QUIET: ReadonlySet<FlowStatus> = new Set<FlowStatus>(["disabled", "idle", "paused"]);

type SummedField = "bytes_per_second" | "records_per_second" | "lag_offsets";

function sumOf(flows: readonly FlowRow[], field: SummedField): Total {
  const known = flows.map((flow) => flow[field]).filter((value) => value !== null);
  const value = known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0);
  const expected = flows.filter((flow) => flow[field] !== null || !QUIET.has(flow.status)).length;
  return { value, measured: known.length, expected };
}

function worstLatency(flows: readonly FlowRow[]): Totals["worst_latency"] {
  let worst: Totals["worst_latency"] = null;
  for (const flow of flows) {
    const value = flow.latency_p95_ms;
    if (value !== null && (worst === null || value > worst.value)) worst = { value, flow };
  }
  return worst;
}

/** The totals as one row of a ring, for the small lines in the tiles. */
export function totalsRow(totals: Totals): RingRow {
  return {
    bytes_per_second: totals.bytes_per_second.value,
    records_per_second: totals.records_per_second.value,
    lag_offsets: totals.lag_offsets.value,
    latency_p50_ms: null,
    latency_p95_ms: totals.worst_latency?.value ?? null,
    latency_p99_ms: null,
    latency_max_ms: null,
  };
}

export function totalsOf(flows: readonly FlowRow[]): Totals {
  return {
    flows: flows.length,
    clusters: new Set(flows.flatMap((flow) => [flow.source, flow.target])).size,
    bytes_per_second: sumOf(flows, "bytes_per_second"),
    records_per_second: sumOf(flows, "records_per_second"),
    lag_offsets: sumOf(flows, "lag_offsets"),
    worst_latency: worstLatency(flows),
  };
}
