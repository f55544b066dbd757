import { expect, test } from "vitest";
import type { EffectiveValue } from "@/api/types";
import {
  editedList,
  patternsInForce,
  patternsWith,
} from "@/features/configuration/properties/patterns/flow-patterns";
import { aKey } from "@/test/builders";

const FLOW = { source: "a.b", target: "c" };
const beaten = {
  level: "connectors",
  key: "connectors.topics",
  value: "all.*",
  origin: "rest",
  note: "",
} as const;
const TOPICS: EffectiveValue = {
  ...{ client: "flow", name: "topics", value: "orders", level: "flow", key: "a.b->c.topics", origin: "rest" },
  ...{ note: "", effect: "planning", why: "", is_secret: false, beaten: [{ ...beaten, has_effect: true }] },
};
const topicsWith = (value: string | null, stored: EffectiveValue = TOPICS) =>
  patternsWith([{ key: "a.b->c.topics", value }], FLOW, [stored], [aKey("topics", { default: ".*" })])
    .topicsAllow;

test("the open draft decides before the values in force", () => {
  expect(patternsInForce(FLOW, [TOPICS]).topicsAllow).toBe("orders");
  expect(topicsWith("payments")).toBe("payments");
});

test("a property that the draft removes leaves the next value, or the default", () => {
  expect(topicsWith(null)).toBe("all.*");
  expect(topicsWith(null, { ...TOPICS, beaten: [] })).toBe(".*");
});

test("only lists at a flow are edited with a preview", () => {
  const place = { level: "flow", base: "a.b->c.", name: "topics" } as const;
  const topics = aKey("topics");

  expect(editedList(place, topics)).toEqual({ flow: FLOW, field: "topicsAllow" });
  expect(editedList({ ...place, level: "global", base: "" }, topics)).toBeNull();
  expect(editedList({ ...place, name: "producer.topics" }, topics)).toBeNull();
  expect(editedList({ ...place, name: "tasks.max" }, aKey("tasks.max"))).toBeNull();
});
