/** Converts the points of a series response into lines, one for each figure that is asked for. */
import type { StatisticsField } from "@/api/types";
import type { Series } from "@/lib/series";

/** A series in its REST form: point n is at `from_ms + n * step_ms`. */
export interface SeriesAnswer {
  from_ms: number;
  step_ms: number;
  /** `[t, avg, min, max, count]`, null where nothing was measured */
  points: readonly (readonly number[] | null)[];
  /** `[sum, p50, p95, p99]` of each point; absent: the resource has none */
  details?: readonly (readonly (number | null)[] | null)[] | undefined;
  /** the p95 of each point, of a resource that has no other percentile; null: the metric has none */
  p95?: readonly (number | null)[] | null;
}

export type StoredFigure = Exclude<StatisticsField, "sum" | "latest">;

export interface StoredSeries {
  step_ms: number;
  line: (figure: StoredFigure) => Series;
}

/** Where a point, or its details, has a figure. */
const PLACES: Readonly<Record<StoredFigure, ["points" | "details", number]>> = {
  avg: ["points", 1],
  min: ["points", 2],
  max: ["points", 3],
  p50: ["details", 1],
  p95: ["details", 2],
  p99: ["details", 3],
};

function figureAt(answer: SeriesAnswer, figure: StoredFigure, place: number): number | null {
  const [part, index] = PLACES[figure];
  const alone = figure === "p95" ? answer.p95?.[place] : null;
  return alone ?? answer[part]?.[place]?.[index] ?? null;
}

/** A tile that is still being filled would show as a drop to almost nothing at the right edge. */
const SETTLING_MS = 10_000;

/** `now_ms` is null for a range that lies in the past as a whole. Tiles without data stay as gaps. */
export function storedSeries(answer: SeriesAnswer, now_ms: number | null): StoredSeries {
  const { from_ms, step_ms, points } = answer;
  const settled = points.filter(
    (_, place) => now_ms === null || from_ms + (place + 1) * step_ms <= now_ms - SETTLING_MS,
  );
  const times = settled.map((_, place) => from_ms + place * step_ms);
  const lines = new Map<StoredFigure, Series>();
  const line = (figure: StoredFigure): Series => {
    const known = lines.get(figure);
    if (known !== undefined) return known;
    const values = times.map((_, place) => figureAt(answer, figure, place));
    lines.set(figure, { times, values });
    return { times, values };
  };
  return { step_ms, line };
}
