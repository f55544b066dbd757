import { describe, expect, test } from "vitest";
import { DEFAULT_PRESET, rangeOfWord, rangeWord, resolveRange, stepFor, windowAt } from "@/lib/range";

const NOW_MS = 1_700_000_005_000;
const HOUR_MS = 3_600_000;

test("no range in the URL is the default one, which ends now", () => {
  expect(resolveRange({}, NOW_MS)).toMatchObject({ preset: "now-10m", to_ms: null, step_ms: 10_000 });
});

test("a preset of the URL is taken", () => {
  expect(resolveRange({ from: "now-2h" }, NOW_MS)).toMatchObject({ length_ms: 2 * HOUR_MS, step_ms: 10_000 });
});

test("times in the URL are an absolute range", () => {
  const range = resolveRange({ from: NOW_MS - HOUR_MS, to: NOW_MS }, NOW_MS);
  expect(range).toMatchObject({ preset: null, from_ms: NOW_MS - HOUR_MS, to_ms: NOW_MS });
});

test("the smallest zoom has three steps of data", () => {
  const range = resolveRange({ from: NOW_MS - 4, to: NOW_MS }, NOW_MS);
  expect(range).toMatchObject({
    from_ms: NOW_MS - 30_000,
    to_ms: NOW_MS,
    length_ms: 30_000,
    step_ms: 10_000,
  });
});

test.each([
  ["now-3h", 3 * HOUR_MS, "Last 3 hours"],
  ["now-90m", 1.5 * HOUR_MS, "Last 90 minutes"],
  ["now-30d", 30 * 24 * HOUR_MS, "Last 30 days"],
])("the address may name a last time that is no preset: %s", (from, length_ms, label) => {
  expect(resolveRange({ from }, NOW_MS)).toMatchObject({ preset: from, to_ms: null, length_ms, label });
});

test.each(["now-0m", "now-91d", "now-3y", "now-", "now-1h2m"])(
  "a time that is not kept is the usual one: %s",
  (from) => {
    expect(resolveRange({ from }, NOW_MS).preset).toBe(DEFAULT_PRESET);
  },
);

test.each([{}, { from: "now-2h" }, { from: NOW_MS - HOUR_MS, to: NOW_MS }])(
  "%o in a word is the same range",
  (range) => {
    expect(rangeOfWord(rangeWord(range))).toEqual(range);
  },
);

describe("nonsense falls back to the default", () => {
  test.each([
    [{ from: "yesterday" }],
    [{ from: 5, to: 2 }],
    [{ from: NOW_MS }],
    [{ from: Number.NaN, to: NOW_MS }],
  ])("%o", (search) => {
    expect(resolveRange(search, NOW_MS).preset).toBe("now-10m");
  });
});

test("data older than two hours is asked for in the minutes that are kept of it", () => {
  expect(stepFor(10 * 60_000, 3 * HOUR_MS)).toBe(60_000);
});

test("a week is asked for by the hour", () => {
  expect(stepFor(168 * HOUR_MS, 168 * HOUR_MS)).toBe(HOUR_MS);
});

test("the window is widened to whole steps", () => {
  const window = windowAt(resolveRange({}, NOW_MS), NOW_MS);
  expect([window.from_ms % 10_000, window.to_ms % 10_000]).toEqual([0, 0]);
  expect(window.to_ms).toBeGreaterThanOrEqual(NOW_MS);
});
