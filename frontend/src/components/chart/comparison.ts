/** Earlier times that a chart can be compared with. */
import { useMemo } from "react";
import type { StoredFigure, StoredSeries } from "@/api/stored-series";
import type { TimeRange } from "@/lib/range";
import type { Series } from "@/lib/series";

export const COMPARISONS = [
  { value: "day", label: "yesterday", shift_ms: 86_400_000 },
  { value: "week", label: "last week", shift_ms: 604_800_000 },
] as const;

export type Comparison = (typeof COMPARISONS)[number];

const MINUTE_MS = 60_000;

/** The range of the earlier time; it moves once a minute, so that it is not read each second. */
export function useEarlierRange(range: TimeRange, comparison: Comparison | undefined): TimeRange {
  const shift_ms = comparison?.shift_ms ?? 0;
  const minute = Math.floor(Date.now() / MINUTE_MS);
  return useMemo((): TimeRange => {
    const to_ms = (range.to_ms ?? (minute + 1) * MINUTE_MS) - shift_ms;
    const from_ms = to_ms - range.length_ms - MINUTE_MS;
    return { ...range, preset: null, from_ms, to_ms };
  }, [range, shift_ms, minute]);
}

/** Points of an earlier time, moved to the time of the chart and to the middle of their steps. Pure. */
export function movedLater(stored: StoredSeries | undefined, figure: StoredFigure, by_ms: number): Series {
  const { times, values } = stored?.line(figure) ?? { times: [], values: [] };
  const half_ms = (stored?.step_ms ?? 0) / 2;
  return { times: times.map((time_ms) => time_ms + by_ms + half_ms), values };
}
