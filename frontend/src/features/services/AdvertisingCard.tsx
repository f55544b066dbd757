import type { RemoteServices } from "@/api/types";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { sameList } from "@/components/by-hand/lists";
import { Card } from "@/components/Card";
import { Timestamp } from "@/components/Timestamp";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";

type Own = RemoteServices["own"];
type Cluster = RemoteServices["clusters"][number];

const COLUMNS: readonly CellColumn<Cluster>[] = [
  { id: "cluster", label: "Cluster", value: ({ alias }) => alias, cell: ({ alias }) => alias },
  {
    id: "by",
    label: "Reported by",
    hint: "The services that report the flows into the cluster",
    value: reporter,
    cell: reporter,
  },
  {
    id: "sent",
    label: "Sent",
    value: ({ sent_ms }) => sent_ms,
    isNumber: true,
    cell: ({ sent_ms, is_target }) => <Time time_ms={sent_ms} isDone={is_target} />,
    cellClass: "muted",
  },
  {
    id: "read",
    label: "Read",
    value: ({ read_ms }) => read_ms,
    isNumber: true,
    cell: ({ read_ms, is_remote_target }) => <Time time_ms={read_ms} isDone={is_remote_target} />,
    cellClass: "muted",
  },
  { id: "problem", label: "Problem", value: problemsOf, cell: problemsOf, cellClass: "muted" },
];

/** How this service advertises itself, and where it looks for others. */
export function AdvertisingCard({ own, clusters }: { own: Own; clusters: readonly Cluster[] }) {
  const view = useTableView("advertisements", COLUMNS, "cluster");
  return (
    <Card
      title="Advertisements"
      note={
        own.address === null
          ? "This service does not advertise itself: set SRM_ADVERTISED_ADDRESS"
          : `This service advertises ${own.address}, version ${own.version}`
      }
      tools={
        <>
          {clusters.length > 0 && <ColumnMenu {...view} />}
          <CommandsButton label="Command and request of the advertisements">
            <CallsToCopy same={sameList({ list: "services" })} />
          </CommandsButton>
        </>
      }
    >
      {clusters.length > 0 && (
        <ColumnTable
          label="Table of advertisements"
          view={view}
          rows={clusters}
          rowId={({ alias }) => alias}
        />
      )}
    </Card>
  );
}

function reporter({ is_target }: Cluster): string {
  return is_target ? "this service" : "other services";
}

function Time({ time_ms, isDone }: { time_ms: number | null; isDone: boolean }) {
  if (time_ms !== null) return <Timestamp time_ms={time_ms} />;
  return isDone ? "not yet" : "not needed";
}

function problemsOf({ send_error, read_error, refused }: Cluster): string {
  const unreadable = Object.entries(refused).map(([key, reason]) => `${key}: ${reason}`);
  return [send_error, read_error, ...unreadable].filter((each) => each !== null).join("; ") || "none";
}
