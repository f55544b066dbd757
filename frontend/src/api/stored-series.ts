/** Converts the points of a series response into four lines. */
import type { Series } from "@/lib/series";

/** A series in its REST form: point n is at `from_ms + n * step_ms`. */
export interface SeriesAnswer {
  from_ms: number;
  step_ms: number;
  /** `[t, avg, min, max, count]`, null where nothing was measured */
  points: readonly (readonly number[] | null)[];
}

export interface StoredSeries {
  step_ms: number;
  avg: Series;
  max: Series;
}

/** A tile that is still being filled would show as a drop to almost nothing at the right edge. */
const SETTLING_MS = 10_000;

/** `now_ms` is null for a range that lies in the past as a whole. Tiles without data stay as gaps. */
export function storedSeries(answer: SeriesAnswer, now_ms: number | null): StoredSeries {
  const avg: Series = { times: [], values: [] };
  const max: Series = { times: [], values: [] };
  answer.points.forEach((point, place) => {
    const time_ms = answer.from_ms + place * answer.step_ms;
    if (isSettling(time_ms + answer.step_ms, now_ms)) return;
    avg.times.push(time_ms);
    avg.values.push(point?.[1] ?? null);
    max.times.push(time_ms);
    max.values.push(point?.[3] ?? null);
  });
  return { step_ms: answer.step_ms, avg, max };
}

function isSettling(end_ms: number, now_ms: number | null): boolean {
  return now_ms !== null && end_ms > now_ms - SETTLING_MS;
}
