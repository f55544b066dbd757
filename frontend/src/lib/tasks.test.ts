import { expect, test } from "vitest";
import { sourceTaskName, taskName } from "@/lib/tasks";

test("a task has one name, from its id or its number", () => {
  expect(taskName("us-east/source/3")).toBe(sourceTaskName(3));
  expect(taskName("us-east/checkpoint/0")).toBe("checkpoint task 0");
  expect(taskName("us-east/heartbeat")).toBe("heartbeat task");
});

test("an id of another form is its own name", () => {
  expect(taskName("driver-1")).toBe("driver-1");
});
