import { expect, test } from "vitest";
import type { FlowEvent, Gap } from "@/api/types";
import { marksOf } from "@/features/replication/charts/marks";

const event = (change: Partial<FlowEvent>) =>
  ({
    time_ms: 5,
    to_state: "stalled",
    topic: "orders",
    partition: 3,
    task: "east/source/0",
    text: null,
    ...change,
  }) as FlowEvent;
const gap = { detected_ms: 3, topic: "clicks", partition: 0, cause: "out_of_range", records: 7 } as Gap;

test("events and gaps are marks in the order of time", () => {
  expect(marksOf({ events: [event({})], gaps: [gap] })).toEqual([
    { time_ms: 3, tone: "bad", text: "Gap of 7 records: clicks, partition 0, out of range" },
    { time_ms: 5, tone: "bad", text: "Stalled: orders, partition 3" },
  ]);
});

test("a topic has its own marks and those of whole slots", () => {
  const slot = event({ topic: null, partition: null, to_state: "running" });
  const marks = marksOf({ events: [event({}), slot], gaps: [gap] }, "clicks");
  expect(marks.map(({ text }) => text)).toEqual([
    "Gap of 7 records: clicks, partition 0, out of range",
    "Running: east/source/0",
  ]);
});
