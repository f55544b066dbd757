/** Merges stored tiles and live points into one line with gaps. Times are epoch milliseconds. */

export interface Series {
  times: number[];
  values: (number | null)[];
}

/** Live points arrive every second; five seconds without one are a gap. */
const LIVE_GAP_MS = 5_000;

/** The coarsest step at which each live point is drawn; above it, live points only continue the stored line. */
const LIVE_DETAIL_STEP_MS = 10_000;

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

/** A tile covers `[time, time + step)` and is drawn at its middle. */
export function mergeSeries(stored: Series, live: Series, step_ms: number): Series {
  const isDetailed = step_ms <= LIVE_DETAIL_STEP_MS;
  const storedEnd_ms = (stored.times.at(-1) ?? Number.NEGATIVE_INFINITY) + step_ms;
  const livePoints = points(live).filter((point) => isDetailed || point.time_ms >= storedEnd_ms);
  const storedPoints = points(stored)
    .filter((tile) => !isDetailed || !hasPointIn(live.times, tile.time_ms, tile.time_ms + step_ms))
    .map((tile) => ({ time_ms: tile.time_ms + step_ms / 2, value: tile.value }));
  const all = [...storedPoints, ...livePoints].sort((a, b) => a.time_ms - b.time_ms);
  return withGaps(all, Math.max(LIVE_GAP_MS, 2.5 * step_ms));
}

function points(series: Series): Point[] {
  return series.times.map((time_ms, place) => ({ time_ms, value: series.values[place] ?? null }));
}

function hasPointIn(times: readonly number[], from_ms: number, to_ms: number): boolean {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) < from_ms) low = middle + 1;
    else high = middle;
  }
  const next = times[low];
  return next !== undefined && next < to_ms;
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

/** At most `buckets` points over the window: the mean of what fell into each, null where nothing did. */
export function downsample(
  series: Series,
  from_ms: number,
  to_ms: number,
  buckets: number,
): (number | null)[] {
  const sums = new Float64Array(buckets);
  const counts = new Float64Array(buckets);
  const width_ms = (to_ms - from_ms) / buckets;
  series.times.forEach((time_ms, place) => {
    const value = series.values[place] ?? null;
    const bucket = Math.min(buckets - 1, Math.floor((time_ms - from_ms) / width_ms));
    if (value === null || bucket < 0) return;
    sums[bucket] = (sums[bucket] ?? 0) + value;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  });
  return Array.from(sums, (sum, bucket) => {
    const count = counts[bucket] ?? 0;
    return count === 0 ? null : sum / count;
  });
}

/** The mean of the known values; null without any. */
export function averageOf(series: Series): number | null {
  const known = series.values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}

export function latestValue(series: Series): number | null {
  return series.values.findLast((value) => value !== null) ?? null;
}
