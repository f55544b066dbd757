/** The names of tasks, and how many run. */
import type { FlowTask } from "@/api/types";

/**
 * The name of a task in its flow: `us-east/source/3` is `source task 3`, and `us-east/heartbeat` is `heartbeat task`.
 * An id of another form is its own name. Pure.
 */
export function taskName(id: string): string {
  const [, kind, slot] = id.split("/");
  if (kind === undefined) return id;
  return slot === undefined ? `${kind} task` : `${kind} task ${slot}`;
}

/** How many of the planned tasks run: each counts once, also without a driver. Pure. */
export function runningText(tasks: readonly Pick<FlowTask, "state">[]): string {
  return `${tasks.filter(({ state }) => state === "running").length} of ${tasks.length} running`;
}

/** The name of a source task, of which orders know the number only. */
export const sourceTaskName = (slot: number): string => `source task ${slot}`;
