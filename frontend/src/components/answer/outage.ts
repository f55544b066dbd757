/** A failure that several parts of the page share, which is told once above all of them. */
import { type Query, type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useCallback, useSyncExternalStore } from "react";
import { ApiProblem, reasonOf } from "@/api/problem";

export interface Outage {
  reason: string;
  requestId: string | null;
  /** the role may not see it: another try fails as well */
  isForbidden: boolean;
}

/** One part alone tells its failure itself. */
const SHARED_BY = 2;

/** A missing thing is a state of the part that asked for it. */
function isFailed(query: Query): boolean {
  const { status, error } = query.state;
  const isMissing = error instanceof ApiProblem && error.status === 404;
  return query.isActive() && status === "error" && !isMissing;
}

/** The reason that most parts of the page would tell; null while a single part tells each failure. */
export function outageOf(queries: QueryClient): Outage | null {
  const failed = queries.getQueryCache().findAll().filter(isFailed);
  const counts = new Map<string, number>();
  for (const { state, observers } of failed) {
    const tellers = observers.length;
    const reason = reasonOf(state.error);
    counts.set(reason, (counts.get(reason) ?? 0) + tellers);
  }
  const [reason, count] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? ["", 0];
  if (count < SHARED_BY) return null;
  const first = failed.find(({ state }) => reasonOf(state.error) === reason)?.state.error;
  const problem = first instanceof ApiProblem ? first : null;
  return { reason, requestId: problem?.requestId ?? null, isForbidden: problem?.status === 403 };
}

const KNOWN = new WeakMap<QueryClient, Outage | null>();

/** The same object as long as the reason is the same. */
function snapshot(queries: QueryClient): Outage | null {
  const now = outageOf(queries);
  const before = KNOWN.get(queries) ?? null;
  if (before?.reason === now?.reason) return before;
  KNOWN.set(queries, now);
  return now;
}

export function useOutage(): Outage | null {
  const queries = useQueryClient();
  const subscribe = useCallback(
    (changed: () => void) => queries.getQueryCache().subscribe(() => queueMicrotask(changed)),
    [queries],
  );
  return useSyncExternalStore(subscribe, () => snapshot(queries));
}
