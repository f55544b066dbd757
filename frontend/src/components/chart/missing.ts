/** Why a chart has no value: no record was copied, or no driver reported. Pure. */
import type { MetricName } from "@/api/types";
import type { Series } from "@/lib/series";

/** Says it of a time, or of the whole range for null. */
export type Missing = (time_ms: number | null) => string;

/** Every task that runs reports these, also while it copies nothing. */
const ALWAYS: ReadonlySet<MetricName> = new Set(["records_per_second", "bytes_per_second", "lag_offsets"]);

const WORDS = {
  idle: ["No record was copied in this range", "No record was copied"],
  silent: ["No metrics in this range: no driver reported", "No metrics: no driver reported"],
  unknown: ["Nothing measured in this range", "No measurement"],
} as const;

/**
 * `copied`: the rate of records, for a metric that has values only while records are copied. `isOfFlow` is false for a
 * part of a flow, of which a driver need not report.
 */
export function missingOf(metric: MetricName, copied?: () => Series, isOfFlow = true): Missing {
  return (time_ms) => {
    const why = ALWAYS.has(metric) ? "silent" : copied === undefined ? "unknown" : whyOf(copied(), time_ms);
    return WORDS[why === "silent" && !isOfFlow ? "unknown" : why][time_ms === null ? 0 : 1];
  };
}

function whyOf({ times, values }: Series, time_ms: number | null): keyof typeof WORDS {
  const rates = (time_ms === null ? values : [values[nearest(times, time_ms)] ?? null]).filter(
    (rate) => rate !== null,
  );
  if (rates.length === 0) return "silent";
  return rates.every((rate) => rate === 0) ? "idle" : "unknown";
}

/** The place of the time that is nearest; -1 without times. */
function nearest(times: readonly number[], time_ms: number): number {
  const next = times.findIndex((time) => time >= time_ms);
  if (next <= 0) return next === 0 ? 0 : times.length - 1;
  const [before = 0, after = 0] = times.slice(next - 1, next + 1);
  return time_ms - before < after - time_ms ? next - 1 : next;
}
