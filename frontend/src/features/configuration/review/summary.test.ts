import { expect, test } from "vitest";
import type { ChangePlan, FlowPlan } from "@/api/types";
import { sumOf } from "@/features/configuration/review/summary";

function aPlan(change: Partial<FlowPlan["changes"]> = {}): FlowPlan {
  return {
    source: "east",
    target: "west",
    outcome: "changed",
    revision: 1,
    values: [],
    changes: {
      source: "east",
      target: "west",
      topics_created: [{ name: "east.orders", partitions: 3, upstream: "orders" }],
      topics_widened: [],
      topics_added: [],
      topics_removed: [],
      topics_renamed: [],
      names_taken: [],
      configs: [],
      acls: [],
      findings: [],
      tasks: {
        before: 1,
        after: 1,
        restarts: [{ slot: 0, because: ["srm.gap.policy"] }],
        moved_partitions: 0,
        is_new_generation: false,
      },
      estimate: { partitions: 3, records: 10, bytes: 100, is_upper_bound: false },
      unlooked: [],
      counts: {},
      ...change,
    },
  };
}

function sum(...flows: FlowPlan[]) {
  const plan: ChangePlan = { version: 1, changes_configuration: true, clusters: [], findings: [], flows };
  return sumOf(plan);
}

test("numbers of all flows are added; the count of a list that was cut off is the whole one", () => {
  const found = sum(aPlan(), aPlan({ counts: { topics_created: 4_000 } }));
  expect(found).toMatchObject({ flows: 2, topics_created: 4_001, restarts: 2, records: 20, bytes: 200 });
});

test("a number that is unknown of one flow is unknown of the plan, never 0", () => {
  const found = sum(aPlan(), aPlan({ topics_created: null, tasks: null, estimate: null }));
  expect(found).toMatchObject({ topics_created: null, restarts: null, records: null, bytes: null });
});

test("one upper bound makes the sum one", () => {
  const estimate = { partitions: 1, records: 1, bytes: 1, is_upper_bound: true };
  expect(sum(aPlan(), aPlan({ estimate })).isUpperBound).toBe(true);
});
