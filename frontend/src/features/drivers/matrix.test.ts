import { describe, expect, test } from "vitest";
import type { Driver } from "@/api/types";
import { AFTER_ERROR, errorsOf, matrixOf, movesOf } from "@/features/drivers/matrix";
import { aTask } from "@/test/drivers";

const aDriver = (id: string, load_percent: number | null = null) =>
  ({ id, parent: id, load_percent }) as Driver;
const moved = (at_ms: number) => ({
  moved: { at_ms, reason: "driver_gone" as const, text: "", from_driver: "oslo" },
});
const error = (since_ms: number) => ({
  last_error: { code: "fatal", text: "disk full", topic: null, partition: null, since_ms },
});

describe("the matrix of flows and drivers", () => {
  const tasks = [
    aTask({}),
    aTask({ driver: "paris", state: "failed" }),
    aTask({ source: "a", bytes_per_second: null }),
    aTask({ source: "b", driver: null, state: "unassigned" }),
  ];
  const matrix = matrixOf(tasks, [aDriver("berlin", 12), aDriver("berlin", 3), aDriver("rome")]);

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

  test("adds up the loads of the roles of a process", () => {
    expect(matrix.loads.map(({ load_percent }) => load_percent)).toEqual([15, null, null]);
  });
});

test("moves are the newest first, without old ones, first starts and starts at the same driver", () => {
  const started = { at_ms: 7, reason: "started" as const, text: "", from_driver: null };
  const restarted = { at_ms: 8, reason: "restarted" as const, text: "", from_driver: "berlin" };
  const kept = [aTask({ moved: started }), aTask({ moved: restarted }), aTask({})];
  const tasks = [aTask(moved(5)), aTask(moved(9)), aTask(moved(1)), ...kept];
  expect(movesOf(tasks, 5).map((task) => task.moved.at_ms)).toEqual([9, 5]);
});

test("errors of failed tasks come before newer ones of tasks that run again", () => {
  const tasks = [aTask(error(9)), aTask({ ...error(2), state: "failed" }), aTask({})];
  expect(errorsOf(tasks).map((task) => task.last_error.since_ms)).toEqual([2, 9]);
});

test("only a task that runs is said to run again after an error", () => {
  const states = ["failed", "unassigned", "starting", "stopping", "running"] as const;
  expect(states.filter((state) => AFTER_ERROR[state].tone === "ok")).toEqual(["running"]);
});
