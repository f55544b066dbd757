import { describe, expect, test } from "vitest";
import type { Property, PropertyLevel } from "@/api/types";
import {
  bareName,
  baseOfNode,
  isBelow,
  placeOf,
  prefixOf,
  rowsWith,
  treeOf,
} from "@/features/configuration/properties/levels";

const ALIASES = ["us-east", "us-west", "eu.central"];

function aProperty(key: string, level: PropertyLevel, name: string): Property {
  return {
    key,
    level,
    alias: "",
    source: "",
    target: "",
    name,
    value: "1",
    is_secret: false,
    comment: "",
    origin: "rest",
    effect: "planning",
    note: "",
  };
}

const PROPERTIES = [
  aProperty("tasks.max", "global", "tasks.max"),
  aProperty("us-east.consumer.fetch.min.bytes", "cluster", "consumer.fetch.min.bytes"),
  aProperty("us-east->us-west.topics", "flow", "topics"),
  aProperty("us-east->us-west.producer.override.acks", "flow", "producer.override.acks"),
];

describe("the place that a key names", () => {
  test.each([
    ["tasks.max", "global", "", "tasks.max"],
    ["workers.offset.flush.interval.ms", "workers", "workers.", "offset.flush.interval.ms"],
    ["connectors.tasks.max", "connectors", "connectors.", "tasks.max"],
    ["us-east.bootstrap.servers", "cluster", "us-east.", "bootstrap.servers"],
    ["eu.central.acks", "cluster", "eu.central.", "acks"],
    ["us-east->eu.central.topics", "flow", "us-east->eu.central.", "topics"],
    ["us-east->lab.topics", "flow", "us-east->lab.", "topics"],
  ])("%s", (key, level, base, name) => {
    expect(placeOf(key, ALIASES, "srm")).toEqual({ level, base, name });
  });

  test("without levels, `workers` is a part of a global key", () => {
    expect(placeOf("workers.tasks.max", ALIASES, "mm2").level).toBe("global");
  });
});

test("the longest prefix of a client is taken off", () => {
  expect(prefixOf("producer.override.acks")).toBe("producer.override.");
  expect(bareName("producer.override.acks")).toBe("acks");
  expect(bareName("topics.exclude")).toBe("topics.exclude");
});

describe("the tree", () => {
  const rows = rowsWith(PROPERTIES, [{ key: "us-west.acks", value: "all" }], ALIASES, "srm");
  const tree = treeOf(rows, ALIASES, ["us-east->us-west", "us-west->us-east"]);

  test("counts the properties of each level, with those that the draft adds", () => {
    expect(tree.map(({ label, count }) => [label, count])).toEqual([
      ["Global", 1],
      ["Workers", 0],
      ["Connectors", 0],
      ["Clusters", 2],
      ["Flows", 2],
    ]);
  });

  test("has clusters and flows without a property, too, and the prefixes in use", () => {
    const [, , , clusters, flows] = tree;
    expect(clusters?.children.map(({ label }) => label)).toEqual(["eu.central", "us-east", "us-west"]);
    expect(flows?.children.map(({ id, count }) => [id, count])).toEqual([
      ["flow:us-east->us-west", 2],
      ["flow:us-west->us-east", 0],
    ]);
    expect(flows?.children[0]?.children.map(({ label }) => label)).toEqual(["producer.override."]);
  });

  test("a place shows its own rows, and a prefix only its part", () => {
    const below = (node: string) => rows.filter((row) => isBelow(row, node)).map(({ key }) => key);
    expect(below("flow:us-east->us-west")).toHaveLength(2);
    expect(below("flow:us-east->us-west#producer.override.")).toEqual([
      "us-east->us-west.producer.override.acks",
    ]);
    expect(below("cluster")).toEqual(["us-east.consumer.fetch.min.bytes", "us-west.acks"]);
  });

  test("names the beginning of a new key", () => {
    expect(baseOfNode("global")).toBe("");
    expect(baseOfNode("workers#producer.")).toBe("workers.producer.");
    expect(baseOfNode("flow:us-east->us-west")).toBe("us-east->us-west.");
    expect(baseOfNode("flow")).toBeNull();
  });
});

test("a draft changes, removes and adds rows", () => {
  const changes = [
    { key: "tasks.max", value: "4" },
    { key: "us-east->us-west.topics", value: null },
    { key: "us-east->us-west.groups", value: ".*" },
  ];
  const states = rowsWith(PROPERTIES, changes, ALIASES, "srm").map(({ key, state }) => [key, state]);
  expect(states).toEqual([
    ["tasks.max", "changed"],
    ["us-east.consumer.fetch.min.bytes", "same"],
    ["us-east->us-west.topics", "removed"],
    ["us-east->us-west.producer.override.acks", "same"],
    ["us-east->us-west.groups", "added"],
  ]);
});
