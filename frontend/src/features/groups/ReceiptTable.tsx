import { useState } from "react";
import type { SyncReceipt } from "@/api/types";
import { type Column, DataTable } from "@/components/DataTable";
import { Figure, Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { capitalized, RECEIPT_TONES } from "@/features/groups/words";
import { count, exactNumber } from "@/lib/format";

const COLUMNS: readonly Column<SyncReceipt>[] = [
  { id: "group", label: "Group", value: (receipt) => receipt.group },
  { id: "topic", label: "Remote topic", value: (receipt) => receipt.topic },
  { id: "partition", label: "Partition", value: (receipt) => receipt.partition, isNumber: true },
  { id: "state", label: "Result", value: (receipt) => receipt.state },
  { id: "before", label: "Before", value: (receipt) => receipt.before, isNumber: true },
  { id: "after", label: "After", value: (receipt) => receipt.after, isNumber: true },
  { id: "rereads", label: "Would re-read", value: (receipt) => receipt.rereads, isNumber: true },
  { id: "skips", label: "Skips", value: (receipt) => receipt.skips, isNumber: true },
];

interface ReceiptTableProps {
  receipts: readonly SyncReceipt[];
  /** nothing was written */
  isRehearsal: boolean;
}

/** The effect of a sync on each partition. */
export function ReceiptTable({ receipts, isRehearsal }: ReceiptTableProps) {
  const [sort, setSort] = useState("group");
  return (
    <DataTable
      label="Table of receipts"
      columns={COLUMNS}
      rows={receipts}
      rowId={rowId}
      sort={sort}
      onSort={setSort}
    >
      {(receipt) => <ReceiptRow key={rowId(receipt)} receipt={receipt} isRehearsal={isRehearsal} />}
    </DataTable>
  );
}

function rowId({ group, topic, partition }: SyncReceipt): string {
  return [group, topic, partition].join("/");
}

function ReceiptRow({ receipt, isRehearsal }: { receipt: SyncReceipt; isRehearsal: boolean }) {
  const word = isRehearsal && receipt.state === "written" ? "would be written" : receipt.state;
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {receipt.group}
      </th>
      <td className="topic-cell muted">{receipt.topic}</td>
      <td className="numeric">{receipt.partition}</td>
      <td>
        <StateBadge tone={RECEIPT_TONES[receipt.state]} word={capitalized(word)} />
        {(receipt.state !== "written" || receipt.skips !== 0) && receipt.text !== "" && (
          <span className="reason">{receipt.text}</span>
        )}
      </td>
      <td className="numeric">{receipt.before === null ? "none" : exactNumber(receipt.before)}</td>
      <td className="numeric">{receipt.after === null ? "none" : exactNumber(receipt.after)}</td>
      <td className="numeric">
        <Figure value={receipt.rereads} as={count} />
      </td>
      <td className="numeric">
        {receipt.skips === null ? <Unknown why="the number is not known" /> : exactNumber(receipt.skips)}
      </td>
    </tr>
  );
}
