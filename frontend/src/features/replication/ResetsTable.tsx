import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { resetsQuery } from "@/api/control";
import { withdrawReset } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Reset } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { EndOrder } from "@/features/orders/EndOrder";
import { exactNumber } from "@/lib/format";
import type { Tone } from "@/lib/status";

const COLUMNS: readonly Column<Reset>[] = [
  { id: "topic", label: "Topic", value: (reset) => reset.topic },
  { id: "partition", label: "Partition", value: (reset) => reset.partition, isNumber: true },
  { id: "to", label: "Position", value: (reset) => JSON.stringify(reset.to) },
  { id: "state", label: "State", value: (reset) => reset.state },
  { id: "by", label: "Ordered by", value: (reset) => reset.requested_by },
  { id: "ordered", label: "Ordered", value: (reset) => reset.requested_ms, isNumber: true },
  { id: "ended", label: "Ended", value: (reset) => reset.ended_ms, isNumber: true },
];

const STATES: Record<Reset["state"], { tone: Tone; word: string }> = {
  requested: { tone: "warn", word: "pending" },
  done: { tone: "ok", word: "done" },
  overtaken: { tone: "idle", word: "overtaken" },
};

const REJECTED: { tone: Tone; word: string } = { tone: "bad", word: "rejected" };

/** Pending resets, and those that ended within a day. */
export function ResetsTable(flow: FlowAddress) {
  const [sort, setSort] = useState("-ordered");
  const answer = useInfiniteQuery(resetsQuery(flow));
  return (
    <PagedTable
      isStacked
      what="resets"
      answer={answer}
      expected={1}
      empty={<p className="control-none">No reset is pending, and none ended within a day.</p>}
      columns={COLUMNS}
      rowId={(reset) => reset.id}
      sort={sort}
      onSort={setSort}
    >
      {(reset) => <ResetRow key={reset.id} flow={flow} reset={reset} />}
    </PagedTable>
  );
}

function ResetRow({ flow, reset }: { flow: FlowAddress; reset: Reset }) {
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {reset.topic}
      </th>
      <td className="numeric">{reset.partition}</td>
      <td>
        <Place to={reset.to} />
      </td>
      <td>
        <StateBadge {...(reset.rejected ? REJECTED : STATES[reset.state])} />
        {reset.rejected && <span className="reason">{reset.rejected}</span>}
      </td>
      <td>{reset.requested_by}</td>
      <td className="numeric">
        <Timestamp time_ms={reset.requested_ms} />
      </td>
      <td className="numeric">
        {reset.ended_ms === null ? "not yet" : <Timestamp time_ms={reset.ended_ms} />}
        {reset.state === "requested" && (
          <EndOrder
            flow={flow}
            label={`Withdraw the reset of ${reset.topic}, partition ${reset.partition}`}
            end={() => withdrawReset(flow, reset.id)}
          />
        )}
      </td>
    </tr>
  );
}

function Place({ to }: { to: Reset["to"] }) {
  if (to === "earliest") return <>the start of the log</>;
  if (to === "latest") return <>the end of the log</>;
  if ("offset" in to) return <>offset {exactNumber(to.offset)}</>;
  return <Timestamp time_ms={to.timestamp_ms} />;
}
