/** The points of a chart as rows: one for each time, a column for each line. Pure. */
import type { ChartLine } from "@/components/chart/options";
import { csvOf } from "@/lib/files/csv";
import type { Series } from "@/lib/series";
import { isoTime } from "@/lib/time";

export interface SeriesRow {
  time_ms: number;
  /** in the order of the lines; null is unknown */
  values: (number | null)[];
}

/** Rows in time; gaps between points, which are drawn but not measured, are left out. */
export function rowsOfSeries(series: readonly Series[]): SeriesRow[] {
  const rows = new Map<number, (number | null)[]>();
  series.forEach(({ times, values }, place) => {
    times.forEach((time_ms, index) => {
      const value = values[index] ?? null;
      if (value === null) return;
      const row = rows.get(time_ms) ?? series.map(() => null);
      row[place] = value;
      rows.set(time_ms, row);
    });
  });
  return [...rows].map(([time_ms, values]) => ({ time_ms, values })).sort((a, b) => a.time_ms - b.time_ms);
}

/** Times in ISO form and exact values; an unknown value is empty. */
export function seriesAsCsv(lines: readonly ChartLine[], series: readonly Series[]): string {
  return csvOf([
    ["time", ...lines.map(({ label }) => label)],
    ...rowsOfSeries(series).map(({ time_ms, values }) => [isoTime(time_ms), ...values]),
  ]);
}
