import { expect, test } from "vitest";
import type { Marks, Version } from "@/api/types";
import { marksOf } from "@/components/marks/flow-marks";
import { aGap, anEvent } from "@/test/events";

const found = (change: Partial<Marks>): Marks => ({
  events: [],
  gaps: [],
  versions: [],
  is_cut: false,
  ...change,
});

const flows = [{ source: "us-east", target: "eu" }];

test("marks of other flows, which were read before, are not shown", () => {
  const others = [{ source: "eu", target: "us-east" }];
  const version = { number: 8, author: "ada", at_ms: 4, comment: "" } as Version;
  const { marks } = marksOf(found({ events: [anEvent()], gaps: [aGap()], versions: [version] }), {
    flows: others,
  });
  expect(marks().map(({ text }) => text)).toEqual(["Configuration 8 by ada"]);
});

test("events and gaps are marks in the order of time", () => {
  expect(marksOf(found({ events: [anEvent()], gaps: [aGap()] }), { flows }).marks()).toEqual([
    { time_ms: 3, tone: "bad", text: "Gap of 7 records: clicks, partition\u00a00, out of range" },
    { time_ms: 5, tone: "bad", text: "Stalled: orders, partition\u00a03" },
  ]);
});

test("a topic has its own marks and those of whole slots", () => {
  const slot = anEvent({ topic: null, partition: null, to_state: "running" });
  const marks = marksOf(found({ events: [anEvent(), slot], gaps: [aGap()] }), {
    flows,
    topic: "clicks",
  }).marks();
  expect(marks.map(({ text }) => text)).toEqual([
    "Gap of 7 records: clicks, partition\u00a00, out of range",
    "Running: source task 0",
  ]);
});

test("a version of the configuration is a mark of every topic", () => {
  const version = { number: 8, author: "ada", at_ms: 4, comment: "" } as Version;
  const commented = { ...version, number: 9, at_ms: 9, comment: "less tasks" };
  expect(
    marksOf(found({ gaps: [aGap()], versions: [commented, version] }), { flows, topic: "orders" }).marks(),
  ).toEqual([
    { time_ms: 4, tone: "config", text: "Configuration 8 by ada" },
    { time_ms: 9, tone: "config", text: "Configuration 9 by ada: less tasks" },
  ]);
});

test("on a chart of several flows a mark names its flow", () => {
  const { marks } = marksOf(found({ events: [anEvent()], gaps: [aGap()] }), { flows, namesFlow: true });
  expect(marks().map(({ text }) => text)).toEqual([
    "Gap of 7 records: us-east → eu, clicks, partition\u00a00, out of range",
    "Stalled: us-east → eu, orders, partition\u00a03",
  ]);
});

test("the newest marks of a range are not counted as all", () => {
  const one = { events: [anEvent()] };
  expect(
    [undefined, found({}), found(one), found({ ...one, is_cut: true })].map(
      (each) => marksOf(each, { flows }).words,
    ),
  ).toEqual(["", "", "1 event in this range", "The newest 1 event of this range"]);
});

test("the kinds of marks are counted as the tables list them: a topic's table has no events of tasks", () => {
  const version = { number: 8, author: "ada", at_ms: 4, comment: "" } as Version;
  const slot = anEvent({ topic: null, partition: null });
  const all = found({ events: [anEvent(), slot, slot], gaps: [aGap()], versions: [version, version] });
  expect(marksOf(all, { flows }).words).toBe(
    "3 events, 1 gap and 2 changes of the configuration in this range",
  );
  expect(marksOf(all, { flows, topic: "orders" }).words).toBe(
    "1 event, 2 events of tasks and 2 changes of the configuration in this range",
  );
});
