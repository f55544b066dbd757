import { describe, expect, test } from "vitest";
import { bytesPerSecond, formatCount, joined, milliseconds, percent, recordsPerSecond } from "@/lib/format";

describe("counts", () => {
  test.each([
    [0, "0"],
    [7, "7"],
    [428, "428"],
    [999.6, "1.00k"],
    [1_750, "1.75k"],
    [166_000, "166k"],
    [999_600, "1.00M"],
    [2_340_000_000, "2.34G"],
    [0.25, "0.25"],
  ])("%d reads %s", (value, text) => {
    expect(formatCount(value)).toBe(text);
  });
});

test("a byte rate has its unit apart from the digits", () => {
  expect(bytesPerSecond(98_900_000)).toEqual({ value: "98.9", unit: "MB/s" });
});

test("a record rate is written without a blank before the slash", () => {
  expect(joined(recordsPerSecond(614_000))).toBe("614k/s");
});

describe("milliseconds", () => {
  test.each([
    [0, "0 ms"],
    [0.4, "0.4 ms"],
    [41, "41 ms"],
    [2672, "2,672 ms"],
    [12_340, "12.3 s"],
    [600_000, "10 min"],
    [10_800_000, "3.0 h"],
  ])("%d reads %s", (value, text) => {
    expect(joined(milliseconds(value))).toBe(text);
  });
});

test("a small share of a processor keeps a decimal", () => {
  expect(joined(percent(0.021))).toBe("2.1 %");
});
