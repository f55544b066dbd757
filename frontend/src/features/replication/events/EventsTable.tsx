import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { flowEventsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { EventOrdering, FlowEvent } from "@/api/types";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import { wordOf } from "@/features/replication/states";
import { partitionName } from "@/lib/format";
import { taskName } from "@/lib/tasks";
import { clockTime, dayAndTime, isoTime } from "@/lib/time";

const DAY_MS = 86_400_000;

const COLUMNS: readonly OrderedColumn<FlowEvent, EventOrdering>[] = [
  { id: "time", label: "Time", value: (event) => event.time_ms, isNumber: true, ordering: "time_ms" },
  { id: "place", label: "Subject", value: (event) => event.topic, ordering: "topic" },
  { id: "change", label: "Change", value: (event) => event.to_state, ordering: "to_state" },
  { id: "cause", label: "Cause", value: (event) => event.cause, ordering: "cause" },
  { id: "driver", label: "Driver", value: (event) => event.driver, ordering: "driver" },
];
const ORDERED = orderedIds(COLUMNS);

interface EventsTableProps {
  flow: FlowAddress;
  /** only events of this topic; empty: of all */
  topic: string;
  /** true: the page around it names the topic */
  isOfTopic?: boolean;
  /** shown instead of the table when the topic has no event */
  noMatch?: ReactNode;
}

/** What the drivers reported: slots and partitions that changed their state, and rejected records. */
export function EventsTable({ flow, topic, isOfTopic = false, noMatch }: EventsTableProps) {
  const [sort, setSort] = useAddressState("events_sort", "-time");
  const answer = useInfiniteQuery(flowEventsQuery(flow, topic, orderingOf(COLUMNS, sort)));
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
      ordered={ORDERED}
      rowId={(event) => String(event.id)}
      sort={sort}
      onSort={setSort}
    >
      {(event) => <EventRow key={event.id} event={event} isOfTopic={isOfTopic} />}
    </PagedTable>
  );
}

function EventRow({ event, isOfTopic }: { event: FlowEvent; isOfTopic: boolean }) {
  const { from_state: before, to_state: after } = event;
  return (
    <tr>
      <td className="numeric nowrap" title={isoTime(event.time_ms)}>
        {Date.now() - event.time_ms < DAY_MS ? clockTime(event.time_ms) : dayAndTime(event.time_ms)}
      </td>
      <th scope="row" className="topic-cell">
        <NameText name={isOfTopic ? partOf(event) : placeOf(event)} />
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
  if (topic === null) return taskName(task);
  const place = partition === null ? topic : `${topic}, ${partitionName(partition)}`;
  return scope === "record" ? `a record of ${place}` : place;
}

/** The same on the page of the topic, which is not named again. */
function partOf({ topic, partition, scope, task }: FlowEvent): string {
  if (topic === null) return wordOf(taskName(task));
  if (partition === null) return "The topic";
  return wordOf(scope === "record" ? `a record of ${partitionName(partition)}` : partitionName(partition));
}

/** A slot that an error ended is `failed`: one that is `stopped` was ended by its driver. */
function withoutCause({ scope, to_state }: FlowEvent): string {
  return scope === "slot" && to_state === "stopped" ? "Ended by its driver, without an error" : "–";
}
