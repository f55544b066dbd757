/** The flow that this tab has deleted on a page of it, which ends with the flow: the overview shows the rest. */
import { type QueryClient, skipToken, useQuery, useQueryClient } from "@tanstack/react-query";
import type { FlowAddress } from "@/api/queries";

const KEY = ["deleted here"];

export function keepDeleted(queries: QueryClient, { source, target }: FlowAddress): void {
  queries.setQueryData<FlowAddress>(KEY, { source, target });
}

/** The deleted flow, null without one, and what forgets it. */
export function useDeleted(): [FlowAddress | null, () => void] {
  const queries = useQueryClient();
  const { data } = useQuery<FlowAddress | null>({
    queryKey: KEY,
    queryFn: skipToken,
    staleTime: Number.POSITIVE_INFINITY,
  });
  return [data ?? null, () => queries.setQueryData(KEY, null)];
}
