import { expect, test } from "vitest";
import type { ConfigDifference } from "@/api/types";
import { changesOf } from "@/features/configuration/changes";
import { formatOf } from "@/features/configuration/transfer/formats";

function aDifference(change: Partial<ConfigDifference>): ConfigDifference {
  return {
    key: "tasks.max",
    before: "1",
    after: "1",
    comment_before: null,
    comment_after: null,
    is_secret: false,
    ...change,
  };
}

test("a comment that changes has its own row", () => {
  const rows = changesOf([aDifference({ after: "2", comment_after: "for the sale" })]);
  expect(rows).toEqual([
    { key: "tasks.max", before: "1", after: "2" },
    { key: "tasks.max (comment)", before: null, after: "for the sale" },
  ]);
});

test("of a secret only its existence is told", () => {
  const secret = { key: "sasl.jaas.config", is_secret: true, before: "hidden", after: "hidden" };
  expect(changesOf([aDifference(secret)])).toEqual([
    { key: "sasl.jaas.config", before: "secret, stored", after: "secret, replaced" },
  ]);
  expect(changesOf([aDifference({ ...secret, before: null })])[0]?.before).toBeNull();
});

test.each([
  ["clusters = east, west\neast->west.enabled = true", "mm2"],
  ["clusters = a\nconnectors.tasks.max = 4", "srm"],
  ["apiVersion: v1\nkind: KafkaConnector", "operator"],
  ["east->west.enabled=true|east->west.topics=a", "replication-configs"],
  ["east->west.enabled=true;east->west.topics=a", "replication-configs-semicolon"],
])("the format of %j is %s", (text, format) => {
  expect(formatOf(text, "mm2")).toBe(format);
});
