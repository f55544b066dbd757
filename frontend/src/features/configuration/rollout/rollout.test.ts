import { expect, test } from "vitest";
import { type FlowOfTarget, PUBLISH_MS, progressOf, watchMs } from "@/features/configuration/rollout/rollout";

function aFlow(source: string, target: string, desired: number, applied: (number | null)[]): FlowOfTarget {
  const tasks = applied.map((revision, slot) => ({
    task: `${source}/source/${slot}`,
    kind: "source",
    driver: `driver-${slot + 1}`,
    applied: revision,
  }));
  return { source, target, revisions: { desired, is_applied: null, tasks, rejected: [] } };
}

test("a target is applied when every task of its flows has the desired revision", () => {
  const [west] = progressOf([aFlow("east", "west", 7, [7, 8]), aFlow("north", "west", 7, [7])]);
  expect(west).toMatchObject({ desired: 7, applied: 7, isApplied: true, flows: 2 });
  expect(west?.drivers).toEqual([
    { driver: "driver-1", tasks: 2, done: 2 },
    { driver: "driver-2", tasks: 1, done: 1 },
  ]);
});

test("the driver that is behind is told from the one that is done", () => {
  const [west] = progressOf([aFlow("east", "west", 7, [7, 6])]);
  expect(west).toMatchObject({ applied: 6, isApplied: false });
  expect(west?.drivers.map(({ done }) => done)).toEqual([1, 0]);
});

test("without a task that reports, nothing is known to be applied", () => {
  const [west] = progressOf([aFlow("east", "west", 7, [])]);
  expect(west).toMatchObject({ applied: null, isApplied: false, drivers: [] });
  const [silent] = progressOf([aFlow("east", "west", 7, [null])]);
  expect(silent).toMatchObject({ applied: null, isApplied: false });
});

test("a rejected part is told once, although each flow of the target reports it", () => {
  const rejected = [{ path: "flows[2].tasks_max", error: "must be at least 1", source: "east" }];
  const flows = ["east", "north"].map((source) => {
    const flow = aFlow(source, "west", 7, [7]);
    return { ...flow, revisions: { ...flow.revisions, rejected } };
  });
  expect(progressOf(flows)[0]?.rejected).toEqual(rejected);
});

test("the flows are read often only while a change is on its way", () => {
  const [done, late] = [aFlow("east", "west", 7, [7]), aFlow("east", "west", 7, [6])];
  const now_ms = 2 * PUBLISH_MS;
  expect(watchMs([late], null, now_ms)).toBeLessThan(watchMs([done], null, now_ms));
  expect(watchMs([done], now_ms - 1, now_ms)).toBe(watchMs([late], null, now_ms));
  expect(watchMs([done], 0, now_ms)).toBe(watchMs([done], null, now_ms));
});
