import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  age,
  clockTime,
  currentZone,
  dayAndTime,
  duration,
  fieldTime,
  onZone,
  rangeText,
  setZone,
  timeOfField,
  zoneName,
} from "@/lib/time";

const NOON_UTC_MS = Date.UTC(2026, 0, 2, 12, 30, 15);

beforeEach(() => vi.useFakeTimers({ now: NOON_UTC_MS, toFake: ["Date"] }));
afterEach(() => {
  vi.useRealTimers();
  setZone("local");
});

test("in UTC every time is that of UTC, and the zone is named", () => {
  const changed = vi.fn();
  const stop = onZone(changed);
  setZone("utc");
  stop();

  expect(changed).toHaveBeenCalledOnce();
  expect([clockTime(NOON_UTC_MS), dayAndTime(NOON_UTC_MS)]).toEqual(["12:30:15", "2\u00a0Jan,\u00a012:30"]);
  expect(zoneName(NOON_UTC_MS)).toBe("UTC");
  expect(localStorage.getItem("srm.zone")).toBe("utc");
});

test.each(["utc", "local"] as const)("a field holds the time of the zone (%s), to the minute", (zone) => {
  setZone(zone);
  expect(currentZone()).toBe(zone);
  expect(timeOfField(fieldTime(NOON_UTC_MS))).toBe(NOON_UTC_MS - 15_000);
});

test("a day of another year has its year", () => {
  setZone("utc");
  expect(dayAndTime(Date.UTC(2025, 11, 31, 23, 59))).toBe("31\u00a0Dec\u00a02025,\u00a023:59");
});

test.each([
  [7_000, "7 s"],
  [60_000, "1 min"],
  [86_000, "1 min 26 s"],
  [659_000, "10 min"],
  [11_520_000, "3 h 12 min"],
])("%d ms last %s", (length_ms, text) => {
  expect(duration(length_ms).replaceAll("\u00a0", " ")).toBe(text);
});

test("a field that is not complete has no time", () => {
  expect(timeOfField("")).toBeNull();
  setZone("utc");
  expect(fieldTime(NOON_UTC_MS)).toBe("2026-01-02T12:30");
});

test.each([
  ["UTC", "UTC"],
  ["Asia/Kolkata", "UTC+5:30"],
  ["America/Bogota", "UTC-5"],
])("the local zone %s is named by its offset from UTC", (zone, name) => {
  vi.stubEnv("TZ", zone);

  expect(zoneName(NOON_UTC_MS)).toBe(name);
  vi.unstubAllEnvs();
});

test.each([
  [4_696, "5", "s"],
  [59_400, "59", "s"],
  [86_000, "1", "min"],
  [11_520_000, "3", "h"],
])("an age of %d ms is shown as %s %s", (length_ms, value, unit) => {
  expect(age(length_ms)).toEqual({ value, unit });
});

test("a range has its days unless both of its ends are today", () => {
  const eight_ms = Date.UTC(2026, 10, 25, 8);
  const hour_ms = 3_600_000;
  setZone("utc");
  expect(rangeText(eight_ms, eight_ms + hour_ms, eight_ms + 2 * hour_ms)).toBe("08:00:00 – 09:00:00");
  expect(rangeText(eight_ms, eight_ms + hour_ms, eight_ms + 72 * hour_ms)).toBe(
    "25\u00a0Nov,\u00a008:00 – 09:00",
  );
  expect(rangeText(eight_ms, eight_ms + 24 * hour_ms, eight_ms + 24 * hour_ms)).toBe(
    "25\u00a0Nov,\u00a008:00 – 26\u00a0Nov,\u00a008:00",
  );
});
