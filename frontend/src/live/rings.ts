/** The last minutes of a flow at one point a second, in typed arrays outside React. */
import type { FlowRow } from "@/api/types";
import type { Series } from "@/lib/series";

export const RING_METRICS = [
  "bytes_per_second",
  "records_per_second",
  "latency_p50_ms",
  "latency_p95_ms",
  "latency_p99_ms",
  "latency_max_ms",
  "lag_offsets",
] as const satisfies readonly (keyof FlowRow)[];

export type RingMetric = (typeof RING_METRICS)[number];

/** null is unknown and a gap in the line; undefined was not requested and is no point. */
export type RingRow = Readonly<Record<RingMetric, number | null | undefined>>;

const NOT_ASKED = Number.POSITIVE_INFINITY;

/** Fifteen minutes of one point a second. */
export const RING_CAPACITY = 900;

export class FlowRing {
  private readonly times = new Float64Array(RING_CAPACITY);
  private readonly columns: Record<RingMetric, Float64Array>;
  private start = 0;
  private length = 0;

  constructor() {
    const column = (): Float64Array => new Float64Array(RING_CAPACITY);
    this.columns = Object.fromEntries(RING_METRICS.map((name) => [name, column()])) as typeof this.columns;
  }

  /** Unknown values are kept as holes (NaN), never as 0. A time that does not advance replaces the last point. */
  push(time_ms: number, row: RingRow): void {
    const newest =
      this.length > 0 ? (this.times[this.place(this.length - 1)] ?? 0) : Number.NEGATIVE_INFINITY;
    if (time_ms > newest) this.grow();
    const place = this.place(this.length - 1);
    this.times[place] = Math.max(time_ms, newest);
    for (const metric of RING_METRICS) {
      const value = row[metric];
      this.columns[metric][place] = value === undefined ? NOT_ASKED : (value ?? Number.NaN);
    }
  }

  between(metric: RingMetric, from_ms: number, to_ms: number): Series {
    const series: Series = { times: [], values: [] };
    for (let index = 0; index < this.length; index++) {
      const place = this.place(index);
      const time_ms = this.times[place] ?? 0;
      const value = this.columns[metric][place] ?? Number.NaN;
      if (time_ms < from_ms || time_ms > to_ms || value === NOT_ASKED) continue;
      series.times.push(time_ms);
      series.values.push(Number.isNaN(value) ? null : value);
    }
    return series;
  }

  private place(index: number): number {
    return (this.start + index) % RING_CAPACITY;
  }

  private grow(): void {
    if (this.length < RING_CAPACITY) this.length += 1;
    else this.start = (this.start + 1) % RING_CAPACITY;
  }
}
