import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { flowEventsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { FlowEvent } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { wordOf } from "@/features/replication/states";
import { clockTime, dayAndTime, isoTime } from "@/lib/time";

const NEWEST_FIRST = "-time";
const DAY_MS = 86_400_000;

const COLUMNS: readonly Column<FlowEvent>[] = [
  { id: "time", label: "Time", value: (event) => event.time_ms, isNumber: true },
  { id: "place", label: "Of", value: (event) => placeOf(event) },
  { id: "change", label: "Change", value: (event) => event.to_state },
  { id: "cause", label: "Cause", value: (event) => event.cause },
  { id: "driver", label: "Driver", value: (event) => event.driver },
];

interface EventsTableProps {
  flow: FlowAddress;
  /** only events of this topic; empty: of all */
  topic: string;
  sort?: string;
  onSort?: (sort: string | undefined) => void;
  /** shown instead of the table when the topic has no event */
  noMatch?: ReactNode;
}

/** What the drivers reported: slots and partitions that changed their state, and rejected records. */
export function EventsTable({ flow, topic, noMatch, ...props }: EventsTableProps) {
  const [ownSort, setOwnSort] = useState<string | undefined>();
  const sort = props.sort ?? ownSort ?? NEWEST_FIRST;
  const onSort = props.onSort ?? setOwnSort;
  const answer = useInfiniteQuery(flowEventsQuery(flow, topic));
  return (
    <PagedTable
      isStacked
      what="events"
      answer={answer}
      empty={
        noMatch || (
          <EmptyState icon={IconTimelineEvent} title="No event was reported in the last 30 days">
            Events are slots that start, stop or fail, partitions that stall, and rejected records.
          </EmptyState>
        )
      }
      columns={COLUMNS}
      rowId={(event) => String(event.id)}
      sort={sort}
      onSort={(next) => onSort(next === NEWEST_FIRST ? undefined : next)}
    >
      {(event) => <EventRow key={event.id} event={event} />}
    </PagedTable>
  );
}

function EventRow({ event }: { event: FlowEvent }) {
  const { from_state: before, to_state: after } = event;
  return (
    <tr>
      <td className="numeric nowrap" title={isoTime(event.time_ms)}>
        {Date.now() - event.time_ms < DAY_MS ? clockTime(event.time_ms) : dayAndTime(event.time_ms)}
      </td>
      <th scope="row" className="topic-cell">
        <NameText name={placeOf(event)} />
      </th>
      <td>{before === null ? wordOf(after) : `${wordOf(before)} → ${wordOf(after).toLowerCase()}`}</td>
      <td>
        {event.cause === null ? withoutCause(event) : wordOf(event.cause)}
        {event.text !== null && <span className="reason">{event.text}</span>}
      </td>
      <td className="muted">{event.driver}</td>
    </tr>
  );
}

/** The topic and partition, or the task of a slot. */
function placeOf({ topic, partition, scope, task }: FlowEvent): string {
  if (topic === null) return task;
  const place = partition === null ? topic : `${topic}, partition ${partition}`;
  return scope === "record" ? `a record of ${place}` : place;
}

/** A slot that an error ended is `failed`: one that is `stopped` was ended by its driver. */
function withoutCause({ scope, to_state }: FlowEvent): string {
  return scope === "slot" && to_state === "stopped" ? "Ended by its driver, without an error" : "–";
}
