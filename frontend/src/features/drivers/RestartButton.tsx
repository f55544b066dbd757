import { Button } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { driversQuery } from "@/api/queries";
import type { Driver } from "@/api/types";
import { RestartForm } from "@/features/drivers/RestartForm";
import { plural } from "@/lib/format";

const WATCH_MS = 1_000;
const REST_MS = 5_000;

/** The processes of before that run as other ones now. */
const backOf = (before: readonly Driver[], now: readonly Driver[]) =>
  before.filter((old) =>
    now.some(({ id, role, boot }) => id === old.id && role === old.role && boot !== old.boot),
  );

/** Restarts the processes of a driver, with a reason, and shows how many have restarted. */
export function RestartButton({ driver }: { driver: string }) {
  const [isAsking, setAsking] = useState(false);
  const [before, setBefore] = useState<readonly Driver[] | null>(null);
  const queries = useQueryClient();
  const remember = () => {
    const { items = [] } = queries.getQueryData(driversQuery.queryKey) ?? {};
    setBefore(items.filter(({ parent }) => parent === driver));
  };
  return (
    <>
      <Button size="xs" variant="default" aria-haspopup="dialog" onClick={() => setAsking(true)}>
        Restart {driver}
      </Button>
      {before !== null && <RestartProgress before={before} />}
      {isAsking && <RestartForm driver={driver} onOrdered={remember} onClose={() => setAsking(false)} />}
    </>
  );
}

/** `before`: the processes as they were when the restart was ordered. */
function RestartProgress({ before }: { before: readonly Driver[] }) {
  const { data } = useQuery({
    ...driversQuery,
    refetchInterval: ({ state }) =>
      backOf(before, state.data?.items ?? []).length === before.length ? REST_MS : WATCH_MS,
  });
  const done = backOf(before, data?.items ?? []).length;
  const isDone = done === before.length;
  return (
    <span className="muted" role="status">
      {isDone
        ? "Restarted"
        : `Restart ordered: ${done} of ${plural(before.length, "process", "processes")} back`}
    </span>
  );
}
