import { IconStack } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { partitionsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { PartitionOrdering, TopicPartition } from "@/api/types";
import { ColumnsNote } from "@/components/definition/ColumnsNote";
import { StatesNote } from "@/components/definition/StatesNote";
import { Figure, Unknown } from "@/components/Figure";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import type { ScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PARTITION_TONES, wordOf } from "@/features/replication/states";
import { exactNumber, formatCount, recordsPerSecond } from "@/lib/format";
import { duration } from "@/lib/time";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

type PartitionColumn = OrderedColumn<TopicPartition, PartitionOrdering>;

function numeric(id: keyof TopicPartition, label: string, hint: string): PartitionColumn {
  return { id, label, hint, value: (partition) => partition[id], isNumber: true };
}

const ordered = (column: PartitionColumn): PartitionColumn => ({
  ...column,
  ordering: column.id as NonNullable<PartitionColumn["ordering"]>,
});

const COLUMNS: readonly PartitionColumn[] = [
  ordered({ id: "partition", label: "Partition", value: ({ partition }) => partition, isNumber: true }),
  ordered({ id: "state", label: "State", value: ({ state }) => state, note: <StatesNote of="partition" /> }),
  numeric("source_start", "Source start", "The first offset that the source partition holds"),
  numeric("source_end", "Source end", "The next offset of the source partition"),
  numeric("copied_to", "Copied to", "The next offset of the source to copy"),
  numeric("target_end", "Target end", "The next offset of the remote partition"),
  ordered(numeric("lag_offsets", "Lag", "Records of the source that are not copied yet")),
  ordered(numeric("lag_ms", "Lag in time", "Age of the last copied record; 0 without lag")),
  ordered(numeric("records_per_second", "Records", "Records copied per second")),
  ordered(numeric("last_record_ms", "Last record", "Time of the last copied record")),
  ordered(numeric("slot", "Slot", "The source task that copies the partition, by the plan of the flow")),
  ordered({
    id: "driver",
    label: "Driver",
    hint: "The driver process that runs the slot",
    value: ({ driver }) => driver,
  }),
];
const ORDERED = orderedIds(COLUMNS);

/** A question mark that shows what the columns of the partitions mean. */
export function PartitionsNote() {
  return <ColumnsNote of="partitions" columns={COLUMNS} />;
}

interface PartitionsTableProps {
  flow: FlowAddress;
  topic: string;
  /** absent: the page has none */
  orders?: Pick<ScopedOrders, "menu" | "choose">;
}

/** The partitions of a topic: both logs, what is copied, and why a partition is not copied further. */
export function PartitionsTable({ flow, topic, orders }: PartitionsTableProps) {
  const [sort, setSort] = useAddressState("partitions_sort", "partition");
  const answer = useInfiniteQuery(partitionsQuery(flow, topic, orderingOf(COLUMNS, sort)));
  return (
    <div className="nested-table">
      <PagedTable
        label={`Partitions of ${topic}`}
        what="partitions"
        answer={answer}
        empty={
          <EmptyState icon={IconStack} title="No partition is reported">
            Drivers report the partitions that the plan of the flow has.
          </EmptyState>
        }
        columns={COLUMNS}
        ordered={ORDERED}
        rowId={({ partition }) => String(partition)}
        sort={sort}
        onSort={setSort}
      >
        {(partition) => (
          <PartitionRow
            key={partition.partition}
            partition={partition}
            choose={orders?.choose({ topic, partition: partition.partition })}
            menu={orders?.menu({ topic, partition: partition.partition })}
          />
        )}
      </PagedTable>
    </div>
  );
}

interface PartitionRowProps {
  partition: TopicPartition;
  choose: ReactNode;
  menu: ReactNode;
}

function PartitionRow({ partition, choose, menu }: PartitionRowProps) {
  const { state, cause } = partition;
  return (
    <tr>
      <th scope="row" className="numeric">
        <span className="partition-name">
          {choose}
          <span className="partition-number">{partition.partition}</span>
          {menu}
        </span>
      </th>
      <td>
        {state === null ? <Unknown /> : <StateBadge tone={PARTITION_TONES[state]} word={wordOf(state)} />}
        {cause !== null && <span className="reason">{wordOf(cause)}</span>}
      </td>
      <Offset value={partition.source_start} />
      <Offset value={partition.source_end} />
      <Offset value={partition.copied_to} />
      <Offset value={partition.target_end} />
      <td className="numeric">
        <Figure value={partition.lag_offsets} as={count} />
      </td>
      <td className="numeric">{partition.lag_ms === null ? <Unknown /> : duration(partition.lag_ms)}</td>
      <td className="numeric">
        <Figure value={partition.records_per_second} as={recordsPerSecond} />
      </td>
      <td className="numeric nowrap">
        {partition.last_record_ms === null ? <Unknown /> : <Timestamp time_ms={partition.last_record_ms} />}
      </td>
      <td className="numeric">{partition.slot ?? <Unknown />}</td>
      <td className="nowrap">{partition.driver ?? <Unknown />}</td>
    </tr>
  );
}

/** Offsets are compared digit by digit, so they are never rounded. */
function Offset({ value }: { value: number | null }) {
  return <td className="numeric">{value === null ? <Unknown /> : exactNumber(value)}</td>;
}
