import { expect, test } from "vitest";
import { endOf, pauseRefusal, rateOf, wholeNumber } from "@/features/orders/order";
import { placeOf } from "@/features/orders/place";

test("a flow can be paused unless it is disabled or unknown", () => {
  expect(pauseRefusal("healthy")).toBeNull();
  expect(pauseRefusal("paused")).toBeNull();
  expect(pauseRefusal("disabled")).toBe("The flow is disabled");
  expect(pauseRefusal(undefined)).toContain("not known");
});

test("an end is counted from the order; without a length the order stays", () => {
  expect(endOf("1h", 1_000)).toBe(3_601_000);
  expect(endOf("", 1_000)).toBeNull();
});

test.each([
  ["10", 10_000_000],
  ["0.5", 500_000],
  ["0", null],
  ["-1", null],
  ["ten", null],
  ["", null],
])("a rate of %o MB per second", (typed, rate) => {
  expect(rateOf(typed)).toBe(rate);
});

test("a partition or offset is a whole number", () => {
  expect(["3", " 12 ", "-1", "1.5", "", "x"].map(wholeNumber)).toEqual([3, 12, null, null, null, null]);
});

test("a reset goes to an end of the log, an offset or a time, and to nothing incomplete", () => {
  expect(placeOf("latest", "")).toBe("latest");
  expect(placeOf("offset", "0")).toEqual({ offset: 0 });
  expect(placeOf("offset", "")).toBeNull();
  expect(placeOf("time", "1970-01-01T00:00:01Z")).toEqual({ timestamp_ms: 1_000 });
  expect(placeOf("time", "soon")).toBeNull();
});
