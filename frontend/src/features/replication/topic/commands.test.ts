import { expect, test } from "vitest";
import type { FlowTopic } from "@/api/types";
import { reached, topicCommands } from "@/features/replication/topic/commands";

const ADDRESS = { source: "east", target: "west", topic: "orders" };
const TOPIC = { topic: "orders", remote_topic: "east.orders", partitions: 3 } as FlowTopic;
const textOf = (topic: FlowTopic, secured = "", factor: string | null = null) =>
  topicCommands(
    ADDRESS,
    topic,
    (alias) => ({ bootstrap: `${alias}:9092`, isSecured: alias === secured }),
    factor,
  )
    .map(({ text }) => text)
    .join("\n");

test("commands name the topic by its name on each side, and that side's brokers", () => {
  const text = textOf(TOPIC);
  expect(text).toContain("--bootstrap-server east:9092 --describe --topic orders");
  expect(text).toContain("--bootstrap-server west:9092 --describe --topic east.orders");
  expect(text).toContain("--create --if-not-exists --topic east.orders --partitions 3");
  expect(text).toContain("srm audit 'east->west' --topic orders --wait");
});

test.each([
  ["3", true],
  ["-1", false],
  [null, false],
])("the remote topic is created with the replication factor of the flow: %s", (factor, isGiven) => {
  expect(textOf(TOPIC, "", factor).includes("--partitions 3 --replication-factor 3")).toBe(isGiven);
  expect(textOf(TOPIC, "", factor).includes("--replication-factor")).toBe(isGiven);
});

test("without a known copy there is no command about it", () => {
  expect(textOf({ ...TOPIC, remote_topic: null })).not.toContain("west:9092");
});

test("the tools get the connection settings of a secured cluster, and of no other", () => {
  const text = textOf(TOPIC, "west");
  expect(text).toContain("--bootstrap-server west:9092 --command-config client.properties --describe");
  expect(text).toContain("--bootstrap-server west:9092 --consumer.config client.properties --topic");
  expect(text).toContain("--bootstrap-server east:9092 --describe");
});

test("a cluster with a protocol other than plain text is secured", () => {
  const cluster = (client: Record<string, string>) => ({ bootstrap: ["b1:9093", "b2:9093"], client });
  expect(reached("west", cluster({ "security.protocol": "SASL_SSL" }))).toEqual({
    bootstrap: "b1:9093,b2:9093",
    isSecured: true,
  });
  expect(reached("west", cluster({})).isSecured).toBe(false);
  expect(reached("west", undefined).bootstrap).toBe("<bootstrap of west>");
});
