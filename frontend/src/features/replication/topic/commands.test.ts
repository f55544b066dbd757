import { expect, test } from "vitest";
import type { FlowTopic } from "@/api/types";
import { topicCommands } from "@/features/replication/topic/commands";

const ADDRESS = { source: "east", target: "west", topic: "orders" };
const TOPIC = { topic: "orders", remote_topic: "east.orders", partitions: 3 } as FlowTopic;
const textOf = (topic: FlowTopic) =>
  topicCommands(ADDRESS, topic, (alias) => `${alias}:9092`)
    .map(({ text }) => text)
    .join("\n");

test("commands name the topic by its name on each side, and that side's brokers", () => {
  const text = textOf(TOPIC);
  expect(text).toContain("--bootstrap-server east:9092 --describe --topic orders");
  expect(text).toContain("--bootstrap-server west:9092 --describe --topic east.orders");
  expect(text).toContain("--create --if-not-exists --topic east.orders --partitions 3");
  expect(text).toContain("srm audit 'east->west' --topic orders --wait");
});

test("without a known copy there is no command about it", () => {
  expect(textOf({ ...TOPIC, remote_topic: null })).not.toContain("west:9092");
});
