import { IconStack } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { partitionsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { PartitionOrdering, TopicPartition } from "@/api/types";
import { StatesNote } from "@/components/definition/StatesNote";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { type TableView, useTableView } from "@/components/table/useTableView";
import type { ScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PARTITION_TONES } from "@/features/replication/states";
import { count, exactNumber, joined, milliseconds, recordsPerSecond } from "@/lib/format";
import { duration } from "@/lib/time";
import { wordOf } from "@/lib/words";

type PartitionColumn = OrderedColumn<TopicPartition, PartitionOrdering>;
type Cell = PartitionColumn["cell"];

function numeric(id: keyof TopicPartition, label: string, hint: string, cell: Cell): PartitionColumn {
  return { id, label, hint, value: (partition) => partition[id], isNumber: true, cell };
}

/** Offsets are compared digit by digit, so they are never rounded. */
function offset(
  id: "source_start" | "source_end" | "copied_to" | "target_end",
  label: string,
  hint: string,
): PartitionColumn {
  return numeric(id, label, hint, ({ [id]: value }) => (value === null ? <Unknown /> : exactNumber(value)));
}

/** Below a second in milliseconds, so that a lag never reads as none. */
const lagTime = (lag_ms: number) => (lag_ms < 1_000 ? joined(milliseconds(lag_ms)) : duration(lag_ms));

const ordered = (column: PartitionColumn): PartitionColumn => ({
  ...column,
  ordering: column.id as NonNullable<PartitionColumn["ordering"]>,
});

const stateCell: Cell = ({ state, cause }) => (
  <>
    {state === null ? <Unknown /> : <StateBadge tone={PARTITION_TONES[state]} word={wordOf(state)} />}
    {cause !== null && <span className="reason">{wordOf(cause)}</span>}
  </>
);

/** `name`: the cell that names a partition. */
function columnsWith(name: Cell): readonly PartitionColumn[] {
  return [
    ordered({
      id: "partition",
      label: "Partition",
      value: ({ partition }) => partition,
      isNumber: true,
      cell: name,
    }),
    ordered({
      id: "state",
      label: "State",
      value: ({ state }) => state,
      note: <StatesNote of="partition" />,
      cell: stateCell,
    }),
    offset("source_start", "Source start", "The first offset that the source partition holds"),
    offset("source_end", "Source end", "The next offset of the source partition"),
    offset("copied_to", "Copied to", "The next offset of the source to copy"),
    offset("target_end", "Target end", "The next offset of the remote partition"),
    ordered(
      numeric("lag_offsets", "Lag", "Records of the source that are not copied yet", ({ lag_offsets }) => (
        <Figure value={lag_offsets} as={count} />
      )),
    ),
    ordered(
      numeric(
        "lag_ms",
        "Lag in time",
        "Age of the last copied record, now; 0 when up to date",
        ({ lag_ms }) => (lag_ms === null ? <Unknown /> : lagTime(lag_ms)),
      ),
    ),
    ordered(
      numeric("records_per_second", "Records", "Records copied per second", ({ records_per_second }) => (
        <Figure value={records_per_second} as={recordsPerSecond} />
      )),
    ),
    {
      ...ordered(
        numeric("last_record_ms", "Last record", "Time of the last copied record", ({ last_record_ms }) =>
          last_record_ms === null ? <Unknown /> : <Timestamp time_ms={last_record_ms} />,
        ),
      ),
      cellClass: "nowrap",
    },
    ordered(
      numeric(
        "slot",
        "Slot",
        "The source task that copies the partition, by the plan of the flow",
        ({ slot }) => slot ?? <Unknown />,
      ),
    ),
    ordered({
      id: "driver",
      label: "Driver",
      hint: "The driver process that runs the slot",
      value: ({ driver }) => driver,
      cell: ({ driver }) => (driver === null ? <Unknown /> : <NameText name={driver} />),
    }),
  ];
}

const COLUMNS = columnsWith(({ partition }) => partition);
const ORDERED = orderedIds(COLUMNS);

export type PartitionsView = TableView<PartitionColumn>;

/** The order and the columns of the partitions of a topic. */
export function usePartitionsView(topic: string, orders?: PartitionOrders): PartitionsView {
  const columns = useMemo(
    () =>
      columnsWith(({ partition }) => (
        <span className="partition-name">
          {orders?.choose({ topic, partition })}
          <span className="partition-number">{partition}</span>
          {orders?.menu({ topic, partition })}
        </span>
      )),
    [topic, orders],
  );
  return useTableView("partitions", columns, "partition");
}

type PartitionOrders = Pick<ScopedOrders, "menu" | "choose">;

interface PartitionsTableProps {
  flow: FlowAddress;
  topic: string;
  view: PartitionsView;
}

/** The partitions of a topic: both logs, what is copied, and why a partition is not copied further. */
export function PartitionsTable({ flow, topic, view }: PartitionsTableProps) {
  const answer = useInfiniteQuery(partitionsQuery(flow, topic, orderingOf(COLUMNS, view.sort)));
  return (
    <div className="nested-table">
      <PagedTable
        label={`Partitions of ${topic}`}
        view={view}
        answer={answer}
        empty={
          <EmptyState icon={IconStack} title="No partition is reported">
            Drivers report the partitions that the plan of the flow has.
          </EmptyState>
        }
        ordered={ORDERED}
        rowId={({ partition }) => String(partition)}
      />
    </div>
  );
}
