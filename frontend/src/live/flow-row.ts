/** One flow as the table, the tiles and the charts read it, and its key in the live topics and our caches. */
import type { FlowRow } from "@/api/types";

export type { FlowRow } from "@/api/types";

export function flowKey(source: string, target: string): string {
  return `${source}->${target}`;
}

/** No driver reports an unknown flow, so its number of running tasks is unknown too. */
export function areTasksKnown(flow: FlowRow): boolean {
  return flow.tasks_total > 0 || flow.status !== "unknown";
}
