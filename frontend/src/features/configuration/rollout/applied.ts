/** What this tab has applied last: until its revision is published, drivers cannot have it. */
import { type QueryClient, skipToken, useQuery } from "@tanstack/react-query";
import type { Applied } from "@/api/types";
import { type FlowOfTarget, progressOf } from "@/features/configuration/rollout/rollout";

interface AppliedHere {
  version: number;
  at_ms: number;
  flows: Applied["flows"];
  /** the desired revision of each target before the change */
  before: Record<string, number | null>;
}

const KEY = ["applied here"];

export function keepApplied(queries: QueryClient, applied: Applied, fleet: readonly FlowOfTarget[]): void {
  const before = Object.fromEntries(progressOf(fleet).map(({ target, desired }) => [target, desired]));
  const here: AppliedHere = { version: applied.version, at_ms: Date.now(), flows: applied.flows, before };
  queries.setQueryData(KEY, here);
}

/** The last change of this tab; undefined: it made none. */
export function useAppliedHere(): AppliedHere | undefined {
  return useQuery<AppliedHere>({ queryKey: KEY, queryFn: skipToken, staleTime: Number.POSITIVE_INFINITY })
    .data;
}
