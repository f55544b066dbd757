import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { partitionsQuery } from "@/api/flow/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { TopicPartition } from "@/api/types";
import { StatesNote } from "@/components/definition/StatesNote";
import { Figure, Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import type { ScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PARTITION_TONES, wordOf } from "@/features/replication/states";
import { exactNumber, formatCount, recordsPerSecond } from "@/lib/format";
import { duration } from "@/lib/time";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

interface PartitionsTableProps {
  flow: FlowAddress;
  topic: string;
  /** absent: the page has none */
  orders?: Pick<ScopedOrders, "menu" | "choose">;
}

/** The partitions of a topic: both logs, what is copied, and why a partition is not copied further. */
export function PartitionsTable({ flow, topic, orders }: PartitionsTableProps) {
  const { data, error, refetch } = useQuery(partitionsQuery(flow, topic));
  if (data === undefined) {
    if (error === null) return <LoadingRows rows={3} label={`Loading the partitions of ${topic}`} />;
    return <ErrorState what={`The partitions of ${topic}`} error={error} onRetry={() => void refetch()} />;
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll nested-table" aria-label={`Partitions of ${topic}`} tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col" className="numeric">
              Partition
            </th>
            <th scope="col">
              State <StatesNote of="partition" />
            </th>
            <th scope="col" className="numeric" title="The first offset that the source partition holds">
              Source start
            </th>
            <th scope="col" className="numeric" title="The next offset of the source partition">
              Source end
            </th>
            <th scope="col" className="numeric" title="The next offset of the source to copy">
              Copied to
            </th>
            <th scope="col" className="numeric" title="The next offset of the remote partition">
              Target end
            </th>
            <th scope="col" className="numeric">
              Lag
            </th>
            <th scope="col" className="numeric" title="Age of the last copied record">
              Lag in time
            </th>
            <th scope="col" className="numeric">
              Records
            </th>
            <th scope="col" className="numeric" title="Time of the last copied record">
              Last record
            </th>
            <th scope="col" className="numeric">
              Slot
            </th>
            <th scope="col">Driver</th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((partition) => (
            <PartitionRow
              key={partition.partition}
              partition={partition}
              choose={orders?.choose({ topic, partition: partition.partition })}
              menu={orders?.menu({ topic, partition: partition.partition })}
            />
          ))}
        </tbody>
      </table>
    </section>
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
