import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { groupPlacesQuery } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { PartitionPlace } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { type Column, DataTable } from "@/components/DataTable";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { capitalized, KIND_TONES } from "@/features/groups/words";
import { count, exactNumber } from "@/lib/format";

const COLUMNS: readonly Column<PartitionPlace>[] = [
  { id: "partition", label: "Partition", value: nameOf },
  {
    id: "committed",
    label: "Committed",
    value: (place) => place.committed,
    isNumber: true,
    hint: "On the source; below it the start and the end of the log",
  },
  { id: "kind", label: "Translation", value: (place) => place.kind },
  {
    id: "downstream",
    label: "Continues at",
    value: (place) => place.downstream,
    isNumber: true,
    hint: "On the target; below it the start and the end of the remote log",
  },
  { id: "rereads", label: "Would re-read", value: (place) => place.rereads, isNumber: true },
  { id: "checkpoint", label: "Checkpoint", value: (place) => place.checkpoint, isNumber: true },
  {
    id: "target_committed",
    label: "On the target",
    value: (place) => place.target_committed,
    isNumber: true,
    hint: "The offset that the group has there",
  },
  {
    id: "mm2",
    label: "By MM2",
    value: (place) => place.mm2_downstream,
    isNumber: true,
    hint: "What MirrorMaker 2 and its clients compute from this flow's offset syncs",
  },
];

interface PlacesTableProps {
  flow: FlowAddress;
  group: string;
}

/** The partitions of a group as both clusters have them now. */
export function PlacesTable({ flow, group }: PlacesTableProps) {
  const [sort, setSort] = useState("partition");
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
        <DataTable
          label={`Partitions of ${group}`}
          columns={COLUMNS}
          rows={data.partitions}
          rowId={rowId}
          sort={sort}
          onSort={setSort}
        >
          {(place) => <PlaceRow key={rowId(place)} place={place} />}
        </DataTable>
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

function PlaceRow({ place }: { place: PartitionPlace }) {
  return (
    <tr>
      <th scope="row" className="topic-cell place-name">
        <NameText name={`${place.topic}-${place.partition}`} />
        {place.remote !== null && (
          <span className="reason group-note">
            <NameText name={place.remote} />
          </span>
        )}
      </th>
      <td className="numeric" title={place.metadata === "" ? undefined : `Metadata: ${place.metadata}`}>
        <Offset
          value={place.committed}
          missing={place.is_read ? "no commit" : "not reported by the source"}
        />
        <Log start={place.log_start} end={place.log_end} />
      </td>
      <td className="place-kind">
        {place.kind === null ? (
          <StateBadge tone="idle" word={place.is_read ? "None" : "Unknown"} />
        ) : (
          <StateBadge tone={KIND_TONES[place.kind]} word={capitalized(place.kind)} />
        )}
        {place.evidence !== "" && <span className="reason">{place.evidence}</span>}
      </td>
      <td className="numeric">
        <Offset value={place.downstream} missing={place.is_read ? "no safe place" : "not known"} />
        {place.kind === "bounded" && place.latest !== null && (
          <span className="reason group-note">at the latest {exactNumber(place.latest)}</span>
        )}
        <Log start={place.remote_start} end={place.remote_end} />
      </td>
      <td className="numeric">
        <Figure value={place.rereads} as={count} />
      </td>
      <td className="numeric">
        <Offset value={place.checkpoint} missing="no checkpoint" />
        {place.checkpoint_ms !== null && (
          <span className="reason group-note">
            <Timestamp time_ms={place.checkpoint_ms} />
          </span>
        )}
      </td>
      <td className="numeric">
        <Offset value={place.target_committed} missing="no commit" />
      </td>
      <td className="numeric">
        <Offset value={place.mm2_downstream} missing="none" />
      </td>
    </tr>
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
