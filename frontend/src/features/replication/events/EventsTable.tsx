import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { flowEventsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { EventOrdering, FlowEvent } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { StatesNote } from "@/components/definition/StatesNote";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { type TableView, useTableView } from "@/components/table/useTableView";
import { partitionName, partName } from "@/lib/format";
import { taskName } from "@/lib/tasks";
import { clockTime, dayAndTime, isoTime } from "@/lib/time";
import { wordOf } from "@/lib/words";

const DAY_MS = 86_400_000;

const COLUMNS: readonly OrderedColumn<FlowEvent, EventOrdering>[] = [
  {
    id: "time",
    label: "Time",
    value: ({ time_ms }) => time_ms,
    cell: ({ time_ms }) => <EventTime time_ms={time_ms} />,
    cellClass: "nowrap",
    isNumber: true,
    ordering: "time_ms",
  },
  {
    id: "place",
    label: "Subject",
    hint: "The partition, topic or task that changed",
    value: ({ topic }) => topic,
    cell: (event) => <NameText name={placeOf(event)} />,
    cellClass: "topic-cell",
    isName: true,
    ordering: "topic",
  },
  {
    id: "change",
    label: "Change",
    hint: "Its state before and after",
    note: <StatesNote of="partition" />,
    value: ({ to_state }) => to_state,
    cell: changeOf,
    ordering: "to_state",
  },
  {
    id: "cause",
    label: "Cause",
    hint: "Why it changed, as its driver reports it",
    value: ({ cause }) => cause,
    cell: (event) => (
      <>
        {event.cause === null ? withoutCause(event) : wordOf(event.cause)}
        {event.text !== null && <span className="reason">{event.text}</span>}
      </>
    ),
    ordering: "cause",
  },
  {
    id: "driver",
    label: "Driver",
    hint: "The driver that reported it",
    value: ({ driver }) => driver,
    cell: ({ driver }) => driver,
    cellClass: "muted",
    ordering: "driver",
  },
];
/** The page of a topic names it. */
const COLUMNS_OF_TOPIC = COLUMNS.map((column) =>
  column.id === "place"
    ? { ...column, cell: (event: FlowEvent) => <NameText name={partOf(event)} /> }
    : column,
);
const ORDERED = orderedIds(COLUMNS);

type EventsView = TableView<OrderedColumn<FlowEvent, EventOrdering>>;

/** The order and the columns of the events; `isOfTopic`: the page around them names the topic. */
export function useEventsView(isOfTopic: boolean): EventsView {
  return useTableView("events", isOfTopic ? COLUMNS_OF_TOPIC : COLUMNS, "-time");
}

interface EventsToolsProps {
  flow: FlowAddress;
  /** the topic by which they are filtered */
  topic: string;
  view: EventsView;
}

/** What the columns mean, the choice of them, and the list as a command and a file. */
export function EventsTools({ flow, topic, view }: EventsToolsProps) {
  return (
    <>
      <ColumnTools view={view} />
      <ListCommands list="events" flow={flow} filters={{ topic }} />
    </>
  );
}

interface EventsTableProps {
  flow: FlowAddress;
  /** only events of this topic; empty: of all */
  topic: string;
  view: EventsView;
  /** shown instead of the table when the topic has no event */
  noMatch?: ReactNode;
}

/** What the drivers reported: slots and partitions that changed their state, and rejected records. */
export function EventsTable({ flow, topic, view, noMatch }: EventsTableProps) {
  const answer = useInfiniteQuery(flowEventsQuery(flow, topic, orderingOf(COLUMNS, view.sort)));
  return (
    <PagedTable
      view={view}
      answer={answer}
      empty={
        noMatch || (
          <EmptyState icon={IconTimelineEvent} title="No event was reported in the last 30 days">
            Events are slots that start, stop or fail, partitions that stall, and rejected records.
          </EmptyState>
        )
      }
      ordered={ORDERED}
      rowId={(event) => String(event.id)}
    />
  );
}

function EventTime({ time_ms }: { time_ms: number }) {
  const shown = Date.now() - time_ms < DAY_MS ? clockTime(time_ms) : dayAndTime(time_ms);
  return <span title={isoTime(time_ms)}>{shown}</span>;
}

function changeOf({ from_state: before, to_state: after }: FlowEvent): string {
  return before === null ? wordOf(after) : `${wordOf(before)} → ${wordOf(after).toLowerCase()}`;
}

/** The topic and partition, or the task of a slot. */
function placeOf({ topic, partition, scope, task }: FlowEvent): string {
  if (topic === null) return taskName(task);
  const place = partName(topic, partition);
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
