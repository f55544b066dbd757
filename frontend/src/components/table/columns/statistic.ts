/** The statistic that the numbers of the page show: this second, or a figure of the range. Pure. */
import type { TimeRange } from "@/lib/range";

export const STATISTICS = [
  { value: "now", label: "Now" },
  { value: "avg", label: "Avg" },
  { value: "min", label: "Min" },
  { value: "max", label: "Max" },
  { value: "p95", label: "p95" },
] as const;

export type Statistic = (typeof STATISTICS)[number]["value"];

/** The heading of a latency that follows the statistic; that of now is the 95th percentile. */
export const latencyLabel = (statistic: Statistic) => `Latency ${statistic === "now" ? "p95" : statistic}`;

/** Returns the statistics that a range offers: a range in the past has no present value. */
export function statisticsOf(range: TimeRange): (typeof STATISTICS)[number][] {
  return STATISTICS.filter(({ value }) => value !== "now" || range.to_ms === null);
}

/** Returns the chosen statistic, or the first one that the range offers. */
export function statisticIn(wanted: string | undefined, range: TimeRange): Statistic {
  const offered = statisticsOf(range);
  return (offered.find(({ value }) => value === wanted) ?? offered[0])?.value ?? "avg";
}
