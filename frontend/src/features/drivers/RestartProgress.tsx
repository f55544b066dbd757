import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { driversQuery } from "@/api/queries";
import type { Driver } from "@/api/types";
import { plural } from "@/lib/format";

const WATCH_MS = 1_000;
const REST_MS = 5_000;

/** The processes of before that run as other ones now. */
const backOf = (before: readonly Driver[], now: readonly Driver[]) =>
  before.filter((old) =>
    now.some(({ id, role, boot }) => id === old.id && role === old.role && boot !== old.boot),
  );

/** The processes of a driver as they were when its restart was ordered; null: it was not. */
export function useRestarted(driver: string): { before: readonly Driver[] | null; remember: () => void } {
  const [before, setBefore] = useState<readonly Driver[] | null>(null);
  const queries = useQueryClient();
  const remember = () => {
    const { items = [] } = queries.getQueryData(driversQuery.queryKey) ?? {};
    setBefore(items.filter(({ parent }) => parent === driver));
  };
  return { before, remember };
}

/** How many of the processes have restarted; which processes there were may not be known. */
export function RestartProgress({ before }: { before: readonly Driver[] }) {
  const { data } = useQuery({
    ...driversQuery,
    refetchInterval: ({ state }) =>
      backOf(before, state.data?.items ?? []).length === before.length ? REST_MS : WATCH_MS,
  });
  const done = backOf(before, data?.items ?? []).length;
  const isDone = done === before.length;
  if (before.length === 0) return <Ordered>Restart ordered</Ordered>;
  return (
    <Ordered>
      {isDone
        ? "Restarted"
        : `Restart ordered: ${done} of ${plural(before.length, "process", "processes")} back`}
    </Ordered>
  );
}

function Ordered({ children }: { children: string }) {
  return (
    <span className="muted" role="status">
      {children}
    </span>
  );
}
