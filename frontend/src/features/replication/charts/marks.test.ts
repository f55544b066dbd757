import { expect, test } from "vitest";
import type { FlowEvent, Gap, Version } from "@/api/types";
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
  expect(marksOf({ events: [event({})], gaps: [gap], versions: [] })).toEqual([
    { time_ms: 3, tone: "bad", text: "Gap of 7 records: clicks, partition 0, out of range" },
    { time_ms: 5, tone: "bad", text: "Stalled: orders, partition 3" },
  ]);
});

test("a topic has its own marks and those of whole slots", () => {
  const slot = event({ topic: null, partition: null, to_state: "running" });
  const marks = marksOf({ events: [event({}), slot], gaps: [gap], versions: [] }, "clicks");
  expect(marks.map(({ text }) => text)).toEqual([
    "Gap of 7 records: clicks, partition 0, out of range",
    "Running: east/source/0",
  ]);
});

test("a version of the configuration is a mark of every topic", () => {
  const version = { number: 8, author: "ada", at_ms: 4, comment: "" } as Version;
  const commented = { ...version, number: 9, at_ms: 9, comment: "less tasks" };
  expect(marksOf({ events: [], gaps: [gap], versions: [commented, version] }, "orders")).toEqual([
    { time_ms: 4, tone: "config", text: "Configuration 8 by ada" },
    { time_ms: 9, tone: "config", text: "Configuration 9 by ada: less tasks" },
  ]);
});
