import { expect, test } from "vitest";
import { downsample, mergeSeries, newestSince, reportedSeries } from "@/lib/series";

const STEP_MS = 10_000;
const line = (...points: [number, number | null][]) => ({
  times: points.map(([time]) => time),
  values: points.map(([, value]) => value),
});
const NONE = line();

test("a stored tile is drawn at its middle", () => {
  expect(mergeSeries(line([0, 5]), NONE, STEP_MS)).toEqual(line([5_000, 5]));
});

test("live points continue the stored tiles, averaged to their step", () => {
  const merged = mergeSeries(line([0, 5]), line([9_000, 90], [11_000, 7], [12_000, 9]), STEP_MS);
  expect(merged).toEqual(line([5_000, 5], [12_000, 8]));
});

test("a step that is full is drawn at its middle, the running one at its newest point", () => {
  const merged = mergeSeries(NONE, line([1_000, 2], [9_000, 4], [11_000, 6]), STEP_MS);
  expect(merged).toEqual(line([5_000, 3], [11_000, 6]));
});

test("live points fill a tile that has no value yet, and may be combined otherwise", () => {
  const merged = mergeSeries(line([0, null]), line([1_000, 2], [9_000, 4]), STEP_MS, (values) =>
    Math.max(...values),
  );
  expect(merged).toEqual(line([5_000, 4]));
});

test("an unknown live value is a gap and not part of the average", () => {
  const merged = mergeSeries(NONE, line([1_000, null], [2_000, 4], [11_000, null]), STEP_MS);
  expect(merged.values).toEqual([4, null]);
});

test("a long silence is a gap and not a line", () => {
  const merged = mergeSeries(NONE, line([0, 1], [40_000, 2]), STEP_MS);
  expect(merged).toEqual(line([0, 1], [1, null], [40_000, 2]));
});

test("a tile without data stays a gap", () => {
  const merged = mergeSeries(line([0, 1], [10_000, null], [20_000, 0]), NONE, STEP_MS);
  expect(merged.values).toEqual([1, null, 0]);
});

test("a line has the mean of each bucket, goes straight over an empty one, and ends only at a gap", () => {
  expect(downsample(line([0, 2], [1, 4], [90, 9]), 0, 100, 4)).toEqual([3, 5, 7, 9]);
  expect(downsample(line([0, 2], [1, 4], [2, null], [90, 9]), 0, 100, 4)).toEqual([3, null, null, 9]);
  expect(downsample(line([30, 5]), 0, 100, 4)).toEqual([null, 5, null, null]);
});

test("reports that come at their interval are one line, and a report that is missing is a gap", () => {
  const stored = { times: [0, 10_000, 60_000, 120_000, 180_000, 360_000], values: [1, null, 2, null, 3, 4] };
  const shown = reportedSeries(stored, 10_000, 60_000);
  expect(shown.times).toEqual([5_000, 65_000, 185_000, 185_001, 365_000]);
  expect(shown.values).toEqual([1, 2, 3, null, 4]);
});

test("a value from before the time asked for is not the newest one", () => {
  const series = { times: [1, 5, 9], values: [1, 2, null] };
  expect(newestSince(series, 5)).toEqual({ time_ms: 5, value: 2 });
  expect(newestSince(series, 6)).toBeNull();
  expect(newestSince({ times: [], values: [] }, 0)).toBeNull();
});
