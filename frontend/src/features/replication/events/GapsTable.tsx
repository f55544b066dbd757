import { IconChecks } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { FlowAddress } from "@/api/queries";
import { gapsQuery } from "@/api/topic";
import type { Gap, GapOrdering } from "@/api/types";
import { Unknown } from "@/components/Figure";
import { RecordLink } from "@/components/flow/RecordLink";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import { wordOf } from "@/features/replication/states";
import { exactNumber, partitionName } from "@/lib/format";

const COLUMNS: readonly OrderedColumn<Gap, GapOrdering>[] = [
  {
    id: "detected",
    label: "Detected",
    value: (gap) => gap.detected_ms,
    isNumber: true,
    ordering: "detected_ms",
  },
  { id: "topic", label: "Topic and partition", value: (gap) => gap.topic, ordering: "topic" },
  { id: "cause", label: "Cause", value: (gap) => gap.cause, ordering: "cause" },
  { id: "records", label: "Records", value: (gap) => gap.records, isNumber: true, ordering: "records" },
  { id: "offsets", label: "Offsets of the source", value: (gap) => gap.from_offset, ordering: "from_offset" },
  { id: "policy", label: "Policy", value: (gap) => gap.policy, ordering: "policy" },
];
const COLUMNS_OF_TOPIC = COLUMNS.map((column) =>
  column.id === "topic" ? { ...column, label: "Partition" } : column,
);
const ORDERED = orderedIds(COLUMNS);

interface GapsTableProps {
  flow: FlowAddress;
  /** only gaps of this topic; empty: of all */
  topic: string;
  /** true: the page around it names the topic */
  isOfTopic?: boolean;
}

/** Source records that the flow does not copy, the newest first. */
export function GapsTable({ flow, topic, isOfTopic = false }: GapsTableProps) {
  const [sort, setSort] = useAddressState("gaps_sort", "-detected");
  const answer = useInfiniteQuery(gapsQuery(flow, topic, orderingOf(COLUMNS, sort)));
  return (
    <PagedTable
      isStacked
      what="gaps"
      answer={answer}
      empty={
        <EmptyState icon={IconChecks} title="No gap is recorded">
          A gap is a range of source records that expired, were truncated or were skipped before they were
          copied.
        </EmptyState>
      }
      columns={isOfTopic ? COLUMNS_OF_TOPIC : COLUMNS}
      ordered={ORDERED}
      rowId={(gap) => String(gap.id)}
      sort={sort}
      onSort={setSort}
      after={
        <th scope="col">
          <span className="visually-hidden">Records of the gap</span>
        </th>
      }
    >
      {(gap) => <GapRow key={gap.id} flow={flow} gap={gap} isOfTopic={isOfTopic} />}
    </PagedTable>
  );
}

function GapRow({ flow, gap, isOfTopic }: { flow: FlowAddress; gap: Gap; isOfTopic: boolean }) {
  const { from_offset, to_offset, records } = gap;
  return (
    <tr>
      <td className="numeric nowrap">
        <Timestamp time_ms={gap.detected_ms} />
      </td>
      <th scope="row" className="topic-cell">
        {isOfTopic ? (
          wordOf(partitionName(gap.partition))
        ) : (
          <>
            <NameText name={gap.topic} />, {partitionName(gap.partition)}
          </>
        )}
      </th>
      <td>{wordOf(gap.cause)}</td>
      <td className="numeric">{records === null ? <Unknown /> : exactNumber(records)}</td>
      <td className="nowrap">
        {exactNumber(from_offset)} – {to_offset === null ? "unknown" : exactNumber(to_offset - 1)}
      </td>
      <td className="muted">{wordOf(gap.policy)}</td>
      <td>
        <RecordLink
          source={flow.source}
          target={flow.target}
          topic={gap.topic}
          partition={gap.partition}
          offset={from_offset}
          on="source"
        />
      </td>
    </tr>
  );
}
