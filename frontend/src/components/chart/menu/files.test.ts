import { expect, test } from "vitest";
import { storedSeries } from "@/api/stored-series";
import { rowsOfSeries, seriesAsCsv } from "@/components/chart/menu/files";

const LINES = [
  { key: "p50", label: "p50", color: "", dash: null },
  { key: "old", label: "p50, yesterday", color: "", dash: null },
];
const SERIES = [
  { times: [1_000, 1_001, 2_000], values: [5, null, 7] },
  { times: [2_000], values: [6] },
];

test("points of one time are one row, and gaps are none", () => {
  expect(rowsOfSeries(SERIES)).toEqual([
    { time_ms: 1_000, values: [5, null] },
    { time_ms: 2_000, values: [7, 6] },
  ]);
});

test("a file has ISO times, exact values and nothing for the unknown", () => {
  expect(seriesAsCsv(LINES, SERIES)).toBe(
    'time,p50,"p50, yesterday"\r\n1970-01-01T00:00:01.000Z,5,\r\n1970-01-01T00:00:02.000Z,7,6\r\n',
  );
});

test("a stored series has a line for each figure, and percentiles where the answer has details", () => {
  const points = [[0, 2, 1, 9, 4], null];
  const details = [[8, 2, 5, 8], null];
  const stored = storedSeries({ from_ms: 0, step_ms: 10_000, points, details }, null);
  expect(stored.line("max")).toEqual({ times: [0, 10_000], values: [9, null] });
  expect(stored.line("p95")).toEqual({ times: [0, 10_000], values: [5, null] });
  expect(storedSeries({ from_ms: 0, step_ms: 10_000, points }, null).line("p95").values).toEqual([
    null,
    null,
  ]);
});

test("a tile that is still being filled is not drawn", () => {
  const answer = {
    from_ms: 0,
    step_ms: 10_000,
    points: [
      [0, 2, 1, 9, 4],
      [10_000, 1, 1, 1, 1],
    ],
  };
  expect(storedSeries(answer, 25_000).line("avg").values).toEqual([2]);
});
