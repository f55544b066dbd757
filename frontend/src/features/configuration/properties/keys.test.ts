import { describe, expect, test } from "vitest";
import { byKey, knownKeyOf, refusal } from "@/features/configuration/properties/keys";
import { aKey } from "@/test/builders";

const KEYS = byKey([
  aKey("tasks.max", { old_spellings: ["max.tasks"] }),
  aKey("consumer.isolation.level"),
  aKey("bootstrap.servers", { owner: "connection" }),
]);

describe("the entry of the key table", () => {
  test.each([
    ["tasks.max", "tasks.max"],
    ["max.tasks", "tasks.max"],
    ["source.consumer.isolation.level", "consumer.isolation.level"],
    ["source.cluster.bootstrap.servers", "bootstrap.servers"],
    ["worker.tasks.max", "tasks.max"],
    ["taks.max", undefined],
  ])("of %s", (name, found) => {
    expect(knownKeyOf(name, KEYS)?.key).toBe(found);
  });
});

describe("the reason why a person may not change a property", () => {
  const operator = ["flows.read", "flows.act", "flows.change"];
  const admin = [...operator, "clusters.change"];
  const servers = KEYS.get("bootstrap.servers");

  test("a viewer changes nothing, an admin everything", () => {
    expect(refusal({ level: "flow", name: "topics" }, undefined, false, ["flows.read"])).toContain(
      "operator",
    );
    expect(refusal({ level: "global", name: "clusters" }, undefined, true, admin)).toBeNull();
  });

  test("an operator changes flows, but neither secrets nor how clusters are reached", () => {
    expect(refusal({ level: "flow", name: "topics" }, undefined, false, operator)).toBeNull();
    expect(refusal({ level: "flow", name: "x" }, undefined, true, operator)).toContain("admin");
    expect(refusal({ level: "cluster", name: "bootstrap.servers" }, servers, false, operator)).toContain(
      "admin",
    );
    expect(refusal({ level: "global", name: "clusters" }, undefined, false, operator)).toContain("admin");
    expect(refusal({ level: "flow", name: "bootstrap.servers" }, servers, false, operator)).toBeNull();
  });
});
