import { describe, expect, test } from "vitest";
import type { Driver, FlowEvent, FlowTask } from "@/api/types";
import { goneDrivers, matrixOf } from "@/features/drivers/matrix";

function aTask(change: Partial<FlowTask>): FlowTask {
  return {
    task: "east/source/0",
    kind: "source",
    source: "east",
    target: "west",
    driver: "berlin",
    role: "data",
    boot: null,
    state: "running",
    since_ms: 1,
    generation: 1,
    moved: null,
    cause: null,
    last_error: null,
    frozen_ms: 0,
    live_age_ms: 1,
    applied_revision: 1,
    partitions: 1,
    records_per_second: 1,
    bytes_per_second: 10,
    lag_offsets: 0,
    ...change,
  };
}

const aDriver = (id: string) => ({ id, parent: id }) as Driver;
const moved = (from_driver: string, at_ms: number) => ({
  moved: { at_ms, reason: "driver_gone" as const, text: "", from_driver },
});

describe("the matrix of flows and drivers", () => {
  const tasks = [
    aTask({}),
    aTask({ driver: "paris", state: "failed" }),
    aTask({ source: "a", bytes_per_second: null }),
    aTask({ source: "b", driver: null, state: "unassigned" }),
  ];
  const matrix = matrixOf(tasks, [aDriver("berlin"), aDriver("rome")]);

  test("has a column for every driver, also for one without a task and one that only tasks name", () => {
    expect(matrix.loads.map(({ driver, tasks: count }) => [driver, count])).toEqual([
      ["berlin", 2],
      ["paris", 1],
      ["rome", 0],
    ]);
  });

  test("puts flows in trouble first, and counts tasks that no driver has", () => {
    expect(matrix.rows.map(({ source, unassigned }) => [source, unassigned])).toEqual([
      ["b", 1],
      ["east", 0],
      ["a", 0],
    ]);
    expect(matrix.rows[1]?.cells).toEqual([
      { tasks: 1, failed: 0 },
      { tasks: 1, failed: 1 },
      { tasks: 0, failed: 0 },
    ]);
  });

  test("a load that no task reports is unknown, not 0", () => {
    expect(matrix.loads.map(({ bytes_per_second }) => bytes_per_second)).toEqual([10, 10, null]);
  });
});

test("a driver that left is gone as long as tasks or events tell of it", () => {
  const tasks = [aTask(moved("oslo", 5)), aTask(moved("oslo", 7)), aTask(moved("berlin", 9))];
  const events = [
    { driver: "bonn", time_ms: 3 },
    { driver: "oslo", time_ms: 6 },
  ] as FlowEvent[];
  expect(goneDrivers([aDriver("berlin")], tasks, events)).toEqual([
    { id: "oslo", seen_ms: 7, moved: 2 },
    { id: "bonn", seen_ms: 3, moved: 0 },
  ]);
  expect(goneDrivers([aDriver("berlin"), aDriver("oslo"), aDriver("bonn")], tasks, events)).toEqual([]);
});
