import { useQuery } from "@tanstack/react-query";
import { flowsQuery } from "@/api/queries";
import { ErrorState, LoadingRows } from "@/components/states";

interface FlowsWaitingProps {
  /** the subject of a failure, such as "The topology" */
  what: string;
  rows: number;
}

/** The state of a card before the first flows have arrived, live or over REST. */
export function FlowsWaiting({ what, rows }: FlowsWaitingProps) {
  const { error, status, refetch } = useQuery(flowsQuery);
  if (status !== "error") return <LoadingRows rows={rows} label={`Loading ${what.toLowerCase()}`} />;
  return <ErrorState what={what} error={error} onRetry={() => void refetch()} />;
}

/** True when the flows could not be read, so that nothing is on its way. */
export function useFlowsFailed(): boolean {
  return useQuery(flowsQuery).status === "error";
}
