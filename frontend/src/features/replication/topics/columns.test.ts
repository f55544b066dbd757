import { describe, expect, test } from "vitest";
import type { FlowTopic } from "@/api/types";
import { numberOf, READINGS, topicColumns, topicOrdering } from "@/features/replication/topics/columns";
import { someStatistics } from "@/test/statistics";

const TOPIC = {
  topic: "orders",
  records_per_second: 7,
  latency_p95_ms: 12,
  metrics: {
    records_per_second: someStatistics({ avg: 3, min: 1, max: 6, p95: 5 }),
    replication_latency_ms: someStatistics({ avg: 20, p95: 60 }),
    bytes_per_second: someStatistics(),
    lag_offsets: someStatistics(),
  },
} as unknown as FlowTopic;

describe("the number of a topic", () => {
  test.each([
    ["now", 7],
    ["avg", 3],
    ["min", 1],
    ["max", 6],
    ["p95", 5],
  ] as const)("of the statistic %s", (statistic, expected) => {
    expect(numberOf(TOPIC, READINGS.records, statistic)).toBe(expected);
  });

  test("of a latency percentile is that of the range, with every statistic", () => {
    expect(numberOf(TOPIC, READINGS.p95, "avg")).toBe(60);
    expect(numberOf(TOPIC, READINGS.p95, "now")).toBe(12);
  });

  test("is unknown where a service has no statistics, or nothing was measured", () => {
    expect(numberOf({ ...TOPIC, metrics: null }, READINGS.records, "avg")).toBeNull();
    expect(numberOf(TOPIC, READINGS.lag, "max")).toBeNull();
  });
});

test("the usual latency follows the statistic, and is ordered only by what the service orders", () => {
  const latencies = topicColumns("avg").filter(({ label, isExtra }) => !isExtra && label.includes("Latency"));
  expect(latencies.map(({ label, value }) => [label, value(TOPIC)])).toEqual([["Latency avg", 20]]);
  expect([topicOrdering("-latency"), topicOrdering("-latency", "avg")]).toEqual([
    "-latency_p95_ms",
    undefined,
  ]);
});

test("a column sorts by the number that it shows", () => {
  const records = topicColumns("max").find(({ id }) => id === "records");
  expect(records?.value(TOPIC)).toBe(6);
});

test("the state of a topic is one of the usual columns", () => {
  const state = topicColumns("now").find(({ id }) => id === "state");
  expect(state?.isExtra).toBeUndefined();
  expect(state?.value({ ...TOPIC, state: "stalled" })).toBe("stalled");
});

test("the service orders by the fields it has", () => {
  expect([
    topicOrdering("-lag"),
    topicOrdering("topic"),
    topicOrdering("-remote"),
    topicOrdering("state"),
    topicOrdering("p50"),
  ]).toEqual(["-lag_offsets", "topic", "-remote_topic", "state", undefined]);
});
