import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { holdsQuery } from "@/api/control";
import { releaseHold } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Hold } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { PagedTable } from "@/components/PagedTable";
import { Timestamp } from "@/components/Timestamp";
import { EndOrder } from "@/features/orders/EndOrder";

const COLUMNS: readonly Column<Hold>[] = [
  { id: "topic", label: "Topic", value: (hold) => hold.topic },
  { id: "partition", label: "Partition", value: (hold) => hold.partition, isNumber: true },
  { id: "reason", label: "Reason", value: (hold) => hold.reason },
  { id: "by", label: "Paused by", value: (hold) => hold.held_by },
  { id: "since", label: "Since", value: (hold) => hold.since_ms, isNumber: true },
  { id: "until", label: "Until", value: (hold) => hold.until_ms, isNumber: true },
];

/** The paused topics and partitions of a flow, with who paused them and why. */
export function HoldsTable(flow: FlowAddress) {
  const [sort, setSort] = useState("topic");
  const answer = useInfiniteQuery(holdsQuery(flow));
  return (
    <PagedTable
      isStacked
      what="paused topics"
      answer={answer}
      expected={1}
      empty={<p className="control-none">No topic is paused.</p>}
      columns={COLUMNS}
      rowId={(hold) => String(hold.id)}
      sort={sort}
      onSort={setSort}
    >
      {(hold) => <HoldRow key={hold.id} flow={flow} hold={hold} />}
    </PagedTable>
  );
}

function HoldRow({ flow, hold }: { flow: FlowAddress; hold: Hold }) {
  const part = hold.partition === null ? hold.topic : `${hold.topic}, partition ${hold.partition}`;
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {hold.topic}
      </th>
      <td className="numeric">{hold.partition ?? "all"}</td>
      <td className="muted">{hold.reason || "none given"}</td>
      <td>{hold.held_by}</td>
      <td className="numeric">
        <Timestamp time_ms={hold.since_ms} />
      </td>
      <td className="numeric">
        {hold.until_ms === null ? "resumed" : <Timestamp time_ms={hold.until_ms} />}
        <EndOrder flow={flow} label={`Resume ${part}`} end={() => releaseHold(flow, hold.id)} />
      </td>
    </tr>
  );
}
