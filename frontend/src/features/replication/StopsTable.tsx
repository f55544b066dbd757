import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { stopsQuery } from "@/api/control";
import { giveOrder } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Stop } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { PagedTable } from "@/components/PagedTable";
import { Timestamp } from "@/components/Timestamp";
import { EndOrder } from "@/features/orders/EndOrder";

const COLUMNS: readonly Column<Stop>[] = [
  { id: "topic", label: "Topic", value: (stop) => stop.topic },
  { id: "partition", label: "Partition", value: (stop) => stop.partition, isNumber: true },
  { id: "reason", label: "Reason", value: (stop) => stop.reason },
  { id: "by", label: "Stopped by", value: (stop) => stop.stopped_by },
  { id: "since", label: "Since", value: (stop) => stop.since_ms, isNumber: true },
  { id: "until", label: "Until", value: (stop) => stop.until_ms, isNumber: true },
];

/** The stopped topics and partitions of a flow. */
export function StopsTable(flow: FlowAddress) {
  const [sort, setSort] = useState("topic");
  const answer = useInfiniteQuery(stopsQuery(flow));
  return (
    <PagedTable
      isStacked
      what="stops"
      answer={answer}
      expected={1}
      empty={<p className="control-none">No topic is stopped.</p>}
      columns={COLUMNS}
      rowId={(stop) => String(stop.id)}
      sort={sort}
      onSort={setSort}
    >
      {(stop) => <StopRow key={stop.id} flow={flow} stop={stop} />}
    </PagedTable>
  );
}

function StopRow({ flow, stop }: { flow: FlowAddress; stop: Stop }) {
  const { topic, partition } = stop;
  const part = partition === null ? topic : `${topic}, partition ${partition}`;
  const start = () =>
    giveOrder(flow, { action: "start", reason: "started on the page", scope: { topic, partition } }, false);
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {topic}
      </th>
      <td className="numeric">{partition ?? "all"}</td>
      <td className="muted">{stop.reason || "none given"}</td>
      <td>{stop.stopped_by}</td>
      <td className="numeric">
        <Timestamp time_ms={stop.since_ms} />
      </td>
      <td className="numeric">
        {stop.until_ms === null ? "started" : <Timestamp time_ms={stop.until_ms} />}
        <EndOrder flow={flow} label={`Start ${part}`} end={start} />
      </td>
    </tr>
  );
}
