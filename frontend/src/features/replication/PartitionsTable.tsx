import { useQuery } from "@tanstack/react-query";
import { partitionsQuery } from "@/api/flow-parts";
import type { FlowAddress } from "@/api/queries";
import type { TopicPartition } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { PARTITION_TONES, wordOf } from "@/features/replication/states";
import { exactNumber, formatCount, recordsPerSecond } from "@/lib/format";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

/** The partitions of a topic: both logs, what is copied, and why a partition is not copied further. */
export function PartitionsTable({ flow, topic }: { flow: FlowAddress; topic: string }) {
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
            <th scope="col">State</th>
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
            <th scope="col" className="numeric">
              Records
            </th>
          </tr>
        </thead>
        <tbody>
          {data.items.map((partition) => (
            <PartitionRow key={partition.partition} partition={partition} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function PartitionRow({ partition }: { partition: TopicPartition }) {
  const { state, cause } = partition;
  return (
    <tr>
      <th scope="row" className="numeric">
        {partition.partition}
      </th>
      <td>
        {state === null ? (
          <Unknown />
        ) : (
          <StateBadge tone={PARTITION_TONES[state] ?? "idle"} word={wordOf(state)} />
        )}
        {cause !== null && <span className="reason">{wordOf(cause)}</span>}
      </td>
      <Offset value={partition.source_end} />
      <Offset value={partition.copied_to} />
      <Offset value={partition.target_end} />
      <td className="numeric">
        <Figure value={partition.lag_offsets} as={count} />
      </td>
      <td className="numeric">
        <Figure value={partition.records_per_second} as={recordsPerSecond} />
      </td>
    </tr>
  );
}

/** Offsets are compared digit by digit, so they are never rounded. */
function Offset({ value }: { value: number | null }) {
  return <td className="numeric">{value === null ? <Unknown /> : exactNumber(value)}</td>;
}
