import { IconChecks } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { FlowAddress } from "@/api/queries";
import { gapsQuery } from "@/api/topic";
import type { Gap, GapOrdering } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Unknown } from "@/components/Figure";
import { RecordLink } from "@/components/flow/RecordLink";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { type TableView, useTableView } from "@/components/table/useTableView";
import { exactNumber, partitionName, partName } from "@/lib/format";
import { wordOf } from "@/lib/words";

type GapColumn = OrderedColumn<Gap, GapOrdering>;

const COLUMNS: readonly GapColumn[] = [
  {
    id: "detected",
    label: "Detected",
    value: ({ detected_ms }) => detected_ms,
    cell: ({ detected_ms }) => <Timestamp time_ms={detected_ms} />,
    cellClass: "nowrap",
    isNumber: true,
    ordering: "detected_ms",
  },
  {
    id: "topic",
    label: "Topic and partition",
    value: ({ topic }) => topic,
    cell: ({ topic, partition }) => <NameText name={partName(topic, partition)} />,
    cellClass: "topic-cell",
    isName: true,
    ordering: "topic",
  },
  {
    id: "cause",
    label: "Cause",
    hint: "Why the records are not copied",
    value: ({ cause }) => cause,
    cell: ({ cause }) => wordOf(cause),
    ordering: "cause",
  },
  {
    id: "records",
    label: "Records",
    hint: "The number of these offsets",
    value: ({ records }) => records,
    cell: ({ records }) => (records === null ? <Unknown /> : exactNumber(records)),
    isNumber: true,
    ordering: "records",
  },
  {
    id: "offsets",
    label: "Offsets of the source",
    value: ({ from_offset }) => from_offset,
    cell: ({ from_offset, to_offset }) =>
      `${exactNumber(from_offset)} – ${to_offset === null ? "unknown" : exactNumber(to_offset - 1)}`,
    cellClass: "nowrap",
    ordering: "from_offset",
  },
  {
    id: "policy",
    label: "Policy",
    hint: "The policy of the flow for such gaps when it was detected",
    value: ({ policy }) => policy,
    cell: ({ policy }) => wordOf(policy),
    cellClass: "muted",
    ordering: "policy",
  },
  {
    id: "record",
    label: "Record",
    value: ({ from_offset }) => from_offset,
    cell: ({ source, target, topic, partition, from_offset }) => (
      <RecordLink
        source={source}
        target={target}
        topic={topic}
        partition={partition}
        offset={from_offset}
        on="source"
      />
    ),
    isFixed: true,
  },
];
/** The page of a topic names it. */
const COLUMNS_OF_TOPIC = COLUMNS.map((column) =>
  column.id === "topic"
    ? { ...column, label: "Partition", cell: ({ partition }: Gap) => wordOf(partitionName(partition)) }
    : column,
);
const ORDERED = orderedIds(COLUMNS);

/** The order and the columns of the gaps; `isOfTopic`: the page around them names the topic. */
export function useGapsView(isOfTopic: boolean): TableView<GapColumn> {
  return useTableView("gaps", isOfTopic ? COLUMNS_OF_TOPIC : COLUMNS, "-detected");
}

interface GapsToolsProps {
  flow: FlowAddress;
  /** the topic by which they are filtered */
  topic: string;
  view: TableView<GapColumn>;
}

/** What the columns mean, the choice of them, and the list as a command and a file. */
export function GapsTools({ flow, topic, view }: GapsToolsProps) {
  return (
    <>
      <ColumnTools view={view} />
      <ListCommands list="gaps" flow={flow} filters={{ topic }} />
    </>
  );
}

interface GapsTableProps {
  flow: FlowAddress;
  /** only gaps of this topic; empty: of all */
  topic: string;
  view: TableView<GapColumn>;
}

/** Source records that the flow does not copy, the newest first. */
export function GapsTable({ flow, topic, view }: GapsTableProps) {
  const answer = useInfiniteQuery(gapsQuery(flow, topic, orderingOf(COLUMNS, view.sort)));
  return (
    <PagedTable
      view={view}
      answer={answer}
      empty={
        <EmptyState icon={IconChecks} title="No gap is recorded">
          A gap is a range of source records that expired, were truncated or were skipped before they were
          copied.
        </EmptyState>
      }
      ordered={ORDERED}
      rowId={(gap) => String(gap.id)}
    />
  );
}
