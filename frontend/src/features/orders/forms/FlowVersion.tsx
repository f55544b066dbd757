import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { flowVersionQuery } from "@/api/flow/flow-definition";
import type { FlowAddress } from "@/api/queries";
import { ErrorState, LoadingRows } from "@/components/states";

type FlowVersion = { etag: string | null; waiting: null } | { etag: undefined; waiting: ReactNode };

/** The version of a flow that a change of its definition is for; until it is known, what to show instead. */
export function useFlowVersion(flow: FlowAddress): FlowVersion {
  const { data, error, refetch } = useQuery(flowVersionQuery(flow));
  if (data !== undefined) return { etag: data.etag, waiting: null };
  const etag = undefined;
  if (error === null) return { etag, waiting: <LoadingRows rows={1} label="Loading the flow" /> };
  return { etag, waiting: <ErrorState what="The flow" error={error} onRetry={() => void refetch()} /> };
}
