/** How far the drivers are with the desired documents: desired against applied revisions. Pure. */
import type { FlowRevisions } from "@/api/types";

export interface FlowOfTarget {
  source: string;
  target: string;
  revisions: FlowRevisions;
}

export interface DriverProgress {
  driver: string;
  /** tasks that have applied the desired revision */
  done: number;
  tasks: number;
}

export interface TargetProgress {
  target: string;
  flows: number;
  desired: number | null;
  /** the oldest revision that a task has applied; null: no task reports one */
  applied: number | null;
  isApplied: boolean;
  drivers: DriverProgress[];
  rejected: FlowRevisions["rejected"];
}

/** One entry per target cluster; tasks of all of its flows count. */
export function progressOf(flows: readonly FlowOfTarget[]): TargetProgress[] {
  const targets = [...new Set(flows.map(({ target }) => target))].sort();
  return targets.map((target) =>
    targetProgress(
      target,
      flows.filter((flow) => flow.target === target),
    ),
  );
}

const WATCH_MS = 1_000;
const REST_MS = 5_000;
/** The service publishes a change within a second or two; not every change has something for the drivers. */
export const PUBLISH_MS = 15_000;

/** Milliseconds until the revisions are read again: the list of flows is large, and is read often only while it changes. */
export function watchMs(flows: readonly FlowOfTarget[], applied_ms: number | null, now_ms: number): number {
  const isPublished = applied_ms !== null && now_ms - applied_ms < PUBLISH_MS;
  const isApplying = progressOf(flows).some(({ isApplied, drivers }) => !isApplied && drivers.length > 0);
  return isPublished || isApplying ? WATCH_MS : REST_MS;
}

function targetProgress(target: string, flows: readonly FlowOfTarget[]): TargetProgress {
  const desired = flows.reduce<number | null>((most, { revisions }) => larger(most, revisions.desired), null);
  const tasks = flows.flatMap(({ revisions }) => revisions.tasks);
  const isDone = (applied: number | null) => applied !== null && desired !== null && applied >= desired;
  const names = [...new Set(tasks.map(({ driver }) => driver))].sort();
  const applied = tasks.map((task) => task.applied).filter((revision) => revision !== null);
  return {
    target,
    flows: flows.length,
    desired,
    applied: applied.length === 0 ? null : Math.min(...applied),
    isApplied: tasks.length > 0 && tasks.every((task) => isDone(task.applied)),
    drivers: names.map((driver) => {
      const own = tasks.filter((task) => task.driver === driver);
      return { driver, tasks: own.length, done: own.filter((task) => isDone(task.applied)).length };
    }),
    rejected: rejectedOnce(flows),
  };
}

/** The flows of a target report the same document: each rejected part once. */
function rejectedOnce(flows: readonly FlowOfTarget[]): FlowRevisions["rejected"] {
  const parts = flows.flatMap(({ revisions }) => revisions.rejected);
  return [...new Map(parts.map((part) => [`${part.path} ${part.error}`, part])).values()];
}

function larger(one: number | null, other: number | null): number | null {
  if (one === null || other === null) return one ?? other;
  return Math.max(one, other);
}
