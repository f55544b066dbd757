/** Merges stored tiles and live points into one line with gaps. Times are epoch milliseconds. */

export interface Series {
  times: number[];
  values: (number | null)[];
}

/** Live points arrive every second; five seconds without one are a gap. */
const LIVE_GAP_MS = 5_000;

interface Point {
  time_ms: number;
  value: number | null;
}

/** Stored points of something that reports only every so often: no gap between two reports that follow each other. */
export function reportedSeries(stored: Series, step_ms: number, every_ms: number): Series {
  const known = points(stored)
    .filter((tile) => tile.value !== null)
    .map((tile) => ({ time_ms: tile.time_ms + step_ms / 2, value: tile.value }));
  return withGaps(known, 2.5 * Math.max(step_ms, every_ms));
}

export type Combine = (values: readonly number[]) => number;

const mean: Combine = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Stored tiles, and live points where no tile has a value yet, averaged to the step of the tiles (or combined as
 * given), so that both parts of a line move alike. A tile covers `[time, time + step)` and is drawn at its middle.
 */
export function mergeSeries(stored: Series, live: Series, step_ms: number, combine = mean): Series {
  const known = points(stored).filter(({ value }) => value !== null);
  const covered = new Set(known.map(({ time_ms }) => startOf(time_ms, step_ms)));
  const fresh = inSteps(live, step_ms, combine).filter(({ start_ms }) => !covered.has(start_ms));
  const shown = new Set(fresh.map(({ start_ms }) => start_ms));
  const tiles = points(stored)
    .filter(({ time_ms, value }) => value !== null || !shown.has(startOf(time_ms, step_ms)))
    .map(({ time_ms, value }) => ({ time_ms: time_ms + step_ms / 2, value }));
  const all = [...tiles, ...fresh].sort((a, b) => a.time_ms - b.time_ms);
  return withGaps(all, Math.max(LIVE_GAP_MS, 2.5 * step_ms));
}

function startOf(time_ms: number, step_ms: number): number {
  return time_ms - (time_ms % step_ms);
}

/** One point per step; the step that is being filled is drawn at its newest point. */
function inSteps(live: Series, step_ms: number, combine: Combine): (Point & { start_ms: number })[] {
  const steps = new Map<number, { last_ms: number; values: number[] }>();
  for (const { time_ms, value } of points(live)) {
    const start_ms = startOf(time_ms, step_ms);
    const step = steps.get(start_ms) ?? { last_ms: time_ms, values: [] };
    step.last_ms = time_ms;
    if (value !== null) step.values.push(value);
    steps.set(start_ms, step);
  }
  return [...steps].map(([start_ms, { last_ms, values }]) => ({
    start_ms,
    time_ms: Math.min(start_ms + step_ms / 2, last_ms),
    value: values.length === 0 ? null : combine(values),
  }));
}

function points(series: Series): Point[] {
  return series.times.map((time_ms, place) => ({ time_ms, value: series.values[place] ?? null }));
}

function withGaps(all: readonly Point[], gap_ms: number): Series {
  const series: Series = { times: [], values: [] };
  let before_ms: number | null = null;
  for (const point of all) {
    if (before_ms !== null && point.time_ms - before_ms > gap_ms) {
      series.times.push(before_ms + 1);
      series.values.push(null);
    }
    series.times.push(point.time_ms);
    series.values.push(point.value);
    before_ms = point.time_ms;
  }
  return series;
}

/**
 * `buckets` points over the window: the mean of what fell into each. A bucket between two points is on the line
 * between them; it is null only where the series has a gap, and before the first and after the last point.
 */
export function downsample(
  series: Series,
  from_ms: number,
  to_ms: number,
  buckets: number,
): (number | null)[] {
  const sums = new Float64Array(buckets);
  const counts = new Float64Array(buckets);
  const width_ms = (to_ms - from_ms) / buckets;
  const joined: [number, number][] = [];
  let before: number | null = null;
  series.times.forEach((time_ms, place) => {
    const value = series.values[place] ?? null;
    const bucket = Math.min(buckets - 1, Math.floor((time_ms - from_ms) / width_ms));
    if (value === null || bucket < 0) {
      before = null;
      return;
    }
    sums[bucket] = (sums[bucket] ?? 0) + value;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    if (before !== null && bucket - before > 1) joined.push([before, bucket]);
    before = bucket;
  });
  const means = Array.from(sums, (sum, bucket) => {
    const count = counts[bucket] ?? 0;
    return count === 0 ? null : sum / count;
  });
  for (const [start, end] of joined) {
    const from = means[start] ?? 0;
    const slope = ((means[end] ?? 0) - from) / (end - start);
    for (let bucket = start + 1; bucket < end; bucket += 1) means[bucket] = from + slope * (bucket - start);
  }
  return means;
}

export function hasValue(series: Series): boolean {
  return series.values.some((value) => value !== null);
}

export interface MeasuredPoint {
  time_ms: number;
  value: number;
}

/** The newest measured point that is not before `since_ms`; null without one. */
export function newestSince(series: Series, since_ms: number): MeasuredPoint | null {
  const place = series.values.findLastIndex((value) => value !== null);
  const [time_ms, value] = [series.times[place], series.values[place] ?? null];
  return time_ms === undefined || value === null || time_ms < since_ms ? null : { time_ms, value };
}
