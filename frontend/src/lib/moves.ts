/** Whether a task came from another driver. Pure. */
import type { FlowTask } from "@/api/types";

export type MovedTask = FlowTask & { moved: NonNullable<FlowTask["moved"]> };

/** False for a first start and for a start at the same driver again: neither is a move. */
export function hasMoved(task: FlowTask): task is MovedTask {
  const from = task.moved?.from_driver ?? null;
  return from !== null && from !== task.driver;
}
