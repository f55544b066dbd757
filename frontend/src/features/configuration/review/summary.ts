/** What a change plan adds up to, and the draft that it is of. Pure. */
import type { ChangePlan, CheckedDraft, FlowPlan } from "@/api/types";

/** The drivers plan a draft that is valid and changes something. */
export function hasPlan({ is_valid, differences }: CheckedDraft): boolean {
  return is_valid && differences.length > 0;
}

/** The state of a draft; another one has another plan. */
export function editionOf({ updated_ms, current_version }: CheckedDraft): string {
  return `${updated_ms} ${current_version}`;
}

export interface PlanSum {
  flows: number;
  created: number;
  removed: number;
  /** null: not known of at least one flow */
  topics_created: number | null;
  restarts: number | null;
  records: number | null;
  bytes: number | null;
  isUpperBound: boolean;
  errors: number;
}

export function sumOf({ flows, findings }: ChangePlan): PlanSum {
  const of = (outcome: FlowPlan["outcome"]) => flows.filter((flow) => flow.outcome === outcome).length;
  const found = flows.flatMap(({ changes }) => changes.findings);
  return {
    flows: flows.length,
    created: of("created"),
    removed: of("removed"),
    topics_created: total(flows, ({ changes }) => countOf(changes, "topics_created")),
    restarts: total(flows, ({ changes }) => changes.tasks?.restarts.length ?? null),
    records: total(flows, ({ changes }) => changes.estimate?.records ?? null),
    bytes: total(flows, ({ changes }) => changes.estimate?.bytes ?? null),
    isUpperBound: flows.some(({ changes }) => changes.estimate?.is_upper_bound),
    errors: [...found, ...findings].filter(({ severity }) => severity === "error").length,
  };
}

type Listed = "topics_created" | "topics_widened" | "topics_added" | "topics_removed" | "topics_renamed";
type Counted = Listed | "names_taken" | "configs" | "acls";

/** The number of all entries of a list; null: the list is not known. */
export function countOf(changes: FlowPlan["changes"], name: Counted): number | null {
  return changes[name] === null ? null : (changes.counts[name] ?? changes[name].length);
}

function total(flows: readonly FlowPlan[], value: (flow: FlowPlan) => number | null): number | null {
  let sum = 0;
  for (const flow of flows) {
    const found = value(flow);
    if (found === null) return null;
    sum += found;
  }
  return sum;
}
