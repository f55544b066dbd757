import { useDebouncedValue } from "@mantine/hooks";
import { IconTimelineEvent } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { flowEventsQuery } from "@/api/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { FlowEvent } from "@/api/types";
import { Card } from "@/components/Card";
import type { Column } from "@/components/DataTable";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { wordOf } from "@/features/replication/states";
import { clockTime, dayAndTime, isoTime } from "@/lib/time";

const NEWEST_FIRST = "-time";
const TYPING_MS = 250;
const DAY_MS = 86_400_000;

const COLUMNS: readonly Column<FlowEvent>[] = [
  { id: "time", label: "Time", value: (event) => event.time_ms, isNumber: true },
  { id: "place", label: "Of", value: (event) => placeOf(event) },
  { id: "change", label: "Change", value: (event) => event.to_state },
  { id: "cause", label: "Cause", value: (event) => event.cause },
  { id: "driver", label: "Driver", value: (event) => event.driver },
];

/** What the drivers reported: slots and partitions that changed their state, and rejected records. */
export function EventsCard(flow: FlowAddress) {
  const { topic: q = "", sort = NEWEST_FIRST } = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const answer = useInfiniteQuery(flowEventsQuery(flow, asked));
  const change = (query: { topic?: string | undefined; sort?: string | undefined }): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  return (
    <Card
      title="Events"
      note="kept for 30 days"
      tools={<ListFilter label="Name of a topic" value={q} onChange={(topic) => change({ topic })} />}
    >
      <PagedTable
        what="events"
        answer={answer}
        empty={
          asked === "" ? (
            <EmptyState icon={IconTimelineEvent} title="No event was reported in the last 30 days">
              Events are slots that start, stop or fail, partitions that stall, and rejected records.
            </EmptyState>
          ) : (
            <NoMatch
              title={`No event concerns the topic ${asked}`}
              clear="Show all events"
              onClear={() => change({ topic: undefined })}
            />
          )
        }
        columns={COLUMNS}
        rowId={(event) => String(event.id)}
        sort={sort}
        onSort={(next) => change({ sort: next === NEWEST_FIRST ? undefined : next })}
      >
        {(event) => <EventRow key={event.id} event={event} />}
      </PagedTable>
    </Card>
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
        {event.cause === null ? "–" : wordOf(event.cause)}
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
