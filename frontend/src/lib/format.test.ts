import { describe, expect, test } from "vitest";
import {
  bytesPerSecond,
  formatCount,
  joined,
  milliseconds,
  NO_BREAK,
  percent,
  recordsPerSecond,
  tickLabels,
  tickSteps,
} from "@/lib/format";

const plain = (text: string) => text.replaceAll(NO_BREAK, " ");

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
    expect(plain(joined(milliseconds(value)))).toBe(text);
  });
});

test("a small share of a processor keeps a decimal", () => {
  expect(joined(percent(0.021))).toBe(`2.1${NO_BREAK}%`);
});

describe("the ticks of an axis have the unit of the highest", () => {
  test.each([
    [milliseconds, [0, 5_000, 10_000, 15_000], ["0 s", "5 s", "10 s", "15 s"]],
    [milliseconds, [0, 60_000, 150_000], ["0 min", "1 min", "2.5 min"]],
    [milliseconds, [1, 10, 100_000], ["0.001 s", "0.01 s", "100 s"]],
    [bytesPerSecond, [0, 500_000, 1_000_000], ["0 MB/s", "0.5 MB/s", "1 MB/s"]],
    [recordsPerSecond, [0, 500, 1_500], ["0/s", "0.5k/s", "1.5k/s"]],
    [percent, [0, 0.05, 0.1], ["0 %", "5 %", "10 %"]],
    [milliseconds, [], []],
  ])("%o of %j", (measure, ticks, labels) => {
    expect(tickLabels(ticks, measure).map(plain)).toEqual(labels);
  });
});

test("ticks of minutes are round numbers of minutes", () => {
  expect(tickSteps(150_000, milliseconds)).toContain(30_000);
  expect(tickSteps(150_000, milliseconds)).not.toContain(50_000);
  expect(tickSteps(15_000, milliseconds)).toContain(5_000);
});
