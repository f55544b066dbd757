import { useQuery } from "@tanstack/react-query";
import { goneDriversQuery } from "@/api/drivers";
import type { GoneProcess } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState } from "@/components/states";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import type { Tone } from "@/lib/status";
import { ago, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

function stateOf({ left, restarted }: GoneProcess): { word: string; tone: Tone } {
  if (left) return { word: "Stopped", tone: "idle" };
  return restarted ? { word: "Lost, restarted", tone: "warn" } : { word: "Lost", tone: "bad" };
}

const COLUMNS: readonly CellColumn<GoneProcess>[] = [
  { id: "driver", label: "Driver", value: ({ id }) => id, cell: ({ id }) => id },
  { id: "role", label: "Role", value: ({ role }) => role, cell: ({ role }) => role },
  {
    id: "state",
    label: "State",
    hint: "Stopped: it said so. Lost: it fell silent. Restarted: a process of the same name reports again",
    value: (process) => stateOf(process).word,
    cell: (process) => <StateBadge {...stateOf(process)} />,
  },
  {
    id: "seen",
    label: "Last seen",
    value: ({ last_seen_ms }) => last_seen_ms,
    isNumber: true,
    cell: ({ last_seen_ms }) => <Ago time_ms={last_seen_ms} />,
    cellClass: "nowrap",
  },
  {
    id: "host",
    label: "Host",
    value: ({ host }) => host,
    cell: ({ host }) => host ?? <Unknown />,
    cellClass: "muted",
  },
  {
    id: "pid",
    label: "Process id",
    value: ({ pid }) => pid,
    isNumber: true,
    cell: ({ pid }) => pid ?? <Unknown />,
    cellClass: "muted",
  },
  {
    id: "tasks",
    label: "Tasks",
    hint: "At its last report",
    value: ({ tasks }) => tasks,
    isNumber: true,
    cell: ({ tasks }) => tasks,
  },
  {
    id: "version",
    label: "Version",
    value: ({ version }) => version,
    cell: ({ version }) => version ?? <Unknown />,
    cellClass: "muted",
  },
];

/** Processes, of one driver or of all, that left in the last seven days; nothing if there is none. */
export function GoneCard({ driver }: { driver?: string }) {
  const { data, error, refetch } = useQuery(goneDriversQuery);
  const view = useTableView("drivers that left", COLUMNS, "-seen", "gone");
  if (data === undefined && error === null) return null;
  const gone = data?.items.filter(({ parent }) => driver === undefined || parent === driver);
  if (gone?.length === 0) return null;
  return (
    <Card
      title="Gone"
      note="processes that reported in the last 7 days"
      tools={
        <>
          {gone !== undefined && <ColumnMenu {...view} />}
          <ListCommands list="gone" />
        </>
      }
    >
      {gone === undefined ? (
        <ErrorState what="The drivers that left" error={error} onRetry={() => void refetch()} />
      ) : (
        <ColumnTable
          label="Table of drivers that left"
          view={view}
          rows={gone}
          rowId={({ id, role, first_seen_ms }) => `${id} ${role} ${first_seen_ms}`}
        />
      )}
    </Card>
  );
}

function Ago({ time_ms }: { time_ms: number }) {
  const now_ms = useNow();
  return <span title={isoTime(time_ms)}>{ago(now_ms - time_ms)}</span>;
}
