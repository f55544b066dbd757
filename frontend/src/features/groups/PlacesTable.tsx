import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { groupPlacesQuery } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { PartitionPlace } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";
import { KIND_TONES } from "@/features/groups/words";
import { count, exactNumber } from "@/lib/format";
import { capitalized } from "@/lib/words";

const COLUMNS: readonly CellColumn<PartitionPlace>[] = [
  {
    id: "partition",
    label: "Partition",
    value: nameOf,
    cell: ({ topic, partition, remote }) => (
      <>
        <NameText name={`${topic}-${partition}`} />
        {remote !== null && (
          <span className="reason group-note">
            <NameText name={remote} />
          </span>
        )}
      </>
    ),
    cellClass: "topic-cell place-name",
  },
  {
    id: "committed",
    label: "Committed",
    value: (place) => place.committed,
    isNumber: true,
    hint: "On the source; below it the start and the end of the log",
    cell: (place) => (
      <span title={place.metadata === "" ? undefined : `Metadata: ${place.metadata}`}>
        <Offset
          value={place.committed}
          missing={place.is_read ? "no commit" : "not reported by the source"}
        />
        <Log start={place.log_start} end={place.log_end} />
      </span>
    ),
  },
  {
    id: "kind",
    label: "Translation",
    value: (place) => place.kind,
    cell: (place) => <Translation {...place} />,
    cellClass: "place-kind",
  },
  {
    id: "downstream",
    label: "Continues at",
    value: (place) => place.downstream,
    isNumber: true,
    hint: "On the target; below it the start and the end of the remote log",
    cell: (place) => <Downstream {...place} />,
  },
  {
    id: "rereads",
    label: "Would re-read",
    value: (place) => place.rereads,
    isNumber: true,
    cell: ({ rereads }) => <Figure value={rereads} as={count} />,
  },
  {
    id: "checkpoint",
    label: "Checkpoint",
    value: (place) => place.checkpoint,
    isNumber: true,
    cell: ({ checkpoint, checkpoint_ms }) => (
      <>
        <Offset value={checkpoint} missing="no checkpoint" />
        {checkpoint_ms !== null && (
          <span className="reason group-note">
            <Timestamp time_ms={checkpoint_ms} />
          </span>
        )}
      </>
    ),
  },
  {
    id: "target_committed",
    label: "On the target",
    value: (place) => place.target_committed,
    isNumber: true,
    hint: "The offset that the group has there",
    cell: ({ target_committed }) => <Offset value={target_committed} missing="no commit" />,
  },
  {
    id: "mm2",
    label: "By MM2",
    value: (place) => place.mm2_downstream,
    isNumber: true,
    hint: "What MirrorMaker 2 and its clients compute from this flow's offset syncs",
    cell: ({ mm2_downstream }) => <Offset value={mm2_downstream} missing="none" />,
  },
];

interface PlacesTableProps {
  flow: FlowAddress;
  group: string;
}

/** The partitions of a group as both clusters have them now. */
export function PlacesTable({ flow, group }: PlacesTableProps) {
  const view = useTableView("partitions of the group", COLUMNS, "partition", "places");
  const { data, error, isFetching, refetch } = useQuery(groupPlacesQuery(flow, group));
  if (data === undefined) {
    if (error === null) return <LoadingRows rows={2} label="Asking both clusters about the partitions" />;
    return <ErrorState what="The partitions" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <>
      {data.unlooked.map((part) => (
        <p key={part.part} className="group-unlooked">
          Not known: {part.reason}
        </p>
      ))}
      {data.partitions.length === 0 ? (
        <p className="muted">The group has no committed offset of a copied topic.</p>
      ) : (
        <SmallTable
          label={`Partitions of ${group}`}
          isStacked={false}
          view={view}
          rows={data.partitions}
          rowId={rowId}
        />
      )}
      <div className="form-buttons">
        <Button size="compact-xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
          Ask both clusters again
        </Button>
        <ListCommands list="partitions of the group" flow={flow} part={group} />
      </div>
    </>
  );
}

/** Sorts partition 10 after partition 9. */
function nameOf({ topic, partition }: PartitionPlace): string {
  return `${topic} ${String(partition).padStart(10, "0")}`;
}

function rowId({ topic, partition }: PartitionPlace): string {
  return `${topic}/${partition}`;
}

/** How the committed offset is translated, and what shows it. */
function Translation({ kind, is_read, evidence }: PartitionPlace) {
  return (
    <>
      {kind === null ? (
        <StateBadge tone="idle" word={is_read ? "None" : "Unknown"} />
      ) : (
        <StateBadge tone={KIND_TONES[kind]} word={capitalized(kind)} />
      )}
      {evidence !== "" && <span className="reason">{evidence}</span>}
    </>
  );
}

function Downstream({ downstream, is_read, kind, latest, remote_start, remote_end }: PartitionPlace) {
  return (
    <>
      <Offset value={downstream} missing={is_read ? "no safe place" : "not known"} />
      {kind === "bounded" && latest !== null && (
        <span className="reason group-note">at the latest {exactNumber(latest)}</span>
      )}
      <Log start={remote_start} end={remote_end} />
    </>
  );
}

function Offset({ value, missing }: { value: number | null; missing: string }) {
  return value === null ? <Unknown why={missing} /> : exactNumber(value);
}

function Log({ start, end }: { start: number | null; end: number | null }) {
  if (start === null || end === null) return null;
  return (
    <span className="reason group-note">
      {exactNumber(start)} to {exactNumber(end)}
    </span>
  );
}
