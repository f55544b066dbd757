/** How far audits have proven that both sides hold the same records. Pure. */
import type { ListedFlow } from "@/api/types";

export interface Proof {
  /** flows that copy, or are meant to */
  expected: number;
  proven: number;
  /** the flow whose proof is oldest; null: none is proven */
  oldest: { flow: ListedFlow; until_ms: number } | null;
}

/** Disabled flows copy nothing that could be proven. */
export function proofOf(flows: Iterable<ListedFlow>): Proof {
  let oldest: Proof["oldest"] = null;
  let [expected, proven] = [0, 0];
  for (const flow of flows) {
    if (flow.status === "disabled") continue;
    expected += 1;
    const until_ms = flow.proven_until_ms;
    if (until_ms === null) continue;
    proven += 1;
    if (oldest === null || until_ms < oldest.until_ms) oldest = { flow, until_ms };
  }
  return { expected, proven, oldest };
}
