/** The flows that the chart of the overview draws. Pure. */
import type { ListedFlow } from "@/api/types";
import type { ChartFlow } from "@/components/chart/flow-lines";
import { LOOKS, lookOf, looksByKey } from "@/components/chart/look";
import type { ChartMetric } from "@/components/chart/metrics";
import type { FlowRow } from "@/live/flow-row";

/** The most lines that remain distinguishable. */
export const MAX_LINES = 8;

/** The value that makes a flow one of the highest; null is unknown. */
export type Rank = (flow: FlowRow) => number | null;

/** Ranks by the values of now, or by those of a range in the past: `past` has them by the key of the flow. */
export function rankBy(
  { live, stored, pick }: Pick<ChartMetric, "live" | "stored" | "pick">,
  past: ReadonlyMap<string, ListedFlow> | null,
): Rank {
  if (past === null) return (flow) => flow[live];
  return ({ key }) => past.get(key)?.metrics[stored][pick] ?? null;
}

/** The flows with the highest values, by name. */
export function charted(flows: readonly FlowRow[], rank: Rank): ChartFlow[] {
  const highest = [...flows].sort((a, b) => (rank(b) ?? -1) - (rank(a) ?? -1)).slice(0, MAX_LINES);
  // Among more flows than looks two of the drawn ones could look alike.
  const looks = looksByKey((flows.length > LOOKS ? highest : flows).map((flow) => flow.key));
  return highest
    .sort((a, b) => a.key.localeCompare(b.key))
    .map(({ key, source, target }) => ({ key, source, target, ...(looks.get(key) ?? lookOf(0)) }));
}

/** The flow with the highest 95th percentile of its latency over a range in the past; null: none was measured. */
export function worstOf(flows: Iterable<ListedFlow>): { flow: ListedFlow; value: number } | null {
  let worst: ReturnType<typeof worstOf> = null;
  for (const flow of flows) {
    const value = flow.metrics.replication_latency_ms.p95;
    if (value !== null && (worst === null || value > worst.value)) worst = { flow, value };
  }
  return worst;
}
