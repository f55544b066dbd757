/** The status words of a flow, with the tone that gives them colour. Most urgent first: that is their sort order. */

import type { FlowStatus } from "@/api/types";

export type Tone = "ok" | "warn" | "bad" | "idle";

const TONES: Record<FlowStatus, Tone> = {
  failed: "bad",
  interrupted: "bad",
  degraded: "warn",
  unknown: "idle",
  starting: "warn",
  paused: "idle",
  idle: "idle",
  disabled: "idle",
  healthy: "ok",
};
const BY_URGENCY = Object.keys(TONES);

/** Shows an unknown status word unchanged, in the neutral tone. */
export function toneOf(status: string): Tone {
  return TONES[status as FlowStatus] ?? "idle";
}

export function urgency(status: string): number {
  const index = BY_URGENCY.indexOf(status);
  return index === -1 ? BY_URGENCY.length : index;
}

/** The urgency as a text, for tables that sort texts; there are fewer than a hundred words. */
export function urgencyText(status: string): string {
  return String(urgency(status)).padStart(2, "0");
}

export function statusWord(status: string): string {
  return status.charAt(0).toUpperCase() + status.slice(1);
}

const UNHEALTHY: ReadonlySet<string> = new Set<FlowStatus>(["failed", "interrupted", "degraded", "unknown"]);

/** True for a flow that an operator should look at; paused, idle and starting flows are in order. */
export function isUnhealthy(status: string): boolean {
  return UNHEALTHY.has(status);
}

const STILL: ReadonlySet<FlowStatus> = new Set(["disabled", "paused", "idle", "failed", "interrupted"]);

/** True for a flow that copies no record. */
export function copiesNothing(status: FlowStatus): boolean {
  return STILL.has(status);
}

/** Healthy first, as the rest is measured against it; then the most urgent. */
export function countByStatus(statuses: readonly string[]): { status: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const status of statuses) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts]
    .map(([status, count]) => ({ status, count }))
    .sort((a, b) => place(a.status) - place(b.status));
}

function place(status: string): number {
  return status === "healthy" ? -1 : urgency(status);
}
