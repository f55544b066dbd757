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
