import { useMemo } from "react";
import type { SyncReceipt } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";
import { RECEIPT_TONES } from "@/features/groups/words";
import { count, exactNumber } from "@/lib/format";
import { capitalized } from "@/lib/words";

const offsetText = (offset: number | null) => (offset === null ? "none" : exactNumber(offset));

const columnsOf = (isRehearsal: boolean): readonly CellColumn<SyncReceipt>[] => [
  {
    id: "group",
    label: "Group",
    value: ({ group }) => group,
    cell: ({ group }) => group,
    cellClass: "topic-cell",
  },
  {
    id: "topic",
    label: "Remote topic",
    value: ({ topic }) => topic,
    cell: ({ topic }) => topic,
    cellClass: "topic-cell muted",
  },
  {
    id: "partition",
    label: "Partition",
    value: ({ partition }) => partition,
    isNumber: true,
    cell: ({ partition }) => partition,
  },
  {
    id: "state",
    label: "Result",
    value: ({ state }) => state,
    cell: (receipt) => <Result receipt={receipt} isRehearsal={isRehearsal} />,
  },
  {
    id: "before",
    label: "Before",
    value: ({ before }) => before,
    isNumber: true,
    cell: ({ before }) => offsetText(before),
  },
  {
    id: "after",
    label: "After",
    value: ({ after }) => after,
    isNumber: true,
    cell: ({ after }) => offsetText(after),
  },
  {
    id: "rereads",
    label: "Would re-read",
    value: ({ rereads }) => rereads,
    isNumber: true,
    cell: ({ rereads }) => <Figure value={rereads} as={count} />,
  },
  {
    id: "skips",
    label: "Skips",
    value: ({ skips }) => skips,
    isNumber: true,
    cell: ({ skips }) => (skips === null ? <Unknown why="the number is not known" /> : exactNumber(skips)),
  },
];

interface ReceiptTableProps {
  receipts: readonly SyncReceipt[];
  /** nothing was written */
  isRehearsal: boolean;
}

/** The effect of a sync on each partition. */
export function ReceiptTable({ receipts, isRehearsal }: ReceiptTableProps) {
  const columns = useMemo(() => columnsOf(isRehearsal), [isRehearsal]);
  const view = useTableView("receipts", columns, "group");
  return (
    <SmallTable
      label="Table of receipts"
      isStacked={false}
      view={view}
      rows={receipts}
      rowId={({ group, topic, partition }) => [group, topic, partition].join("/")}
    />
  );
}

/** What became of the offset of a partition, and why. */
function Result({
  receipt: { state, skips, text },
  isRehearsal,
}: {
  receipt: SyncReceipt;
  isRehearsal: boolean;
}) {
  const word = isRehearsal && state === "written" ? "would be written" : state;
  return (
    <>
      <StateBadge tone={RECEIPT_TONES[state]} word={capitalized(word)} />
      {(state !== "written" || skips !== 0) && text !== "" && <span className="reason">{text}</span>}
    </>
  );
}
