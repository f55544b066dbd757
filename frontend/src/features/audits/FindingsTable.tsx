import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { findingsQuery } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import type { AuditFinding, FindingOrdering } from "@/api/types";
import { RecordLink } from "@/components/flow/RecordLink";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { type TableView, useTableView } from "@/components/table/useTableView";
import { exactNumber } from "@/lib/format";
import { wordOf } from "@/lib/words";

type FindingColumn = OrderedColumn<AuditFinding, FindingOrdering>;

const offsetText = (offset: number | null) => (offset === null ? "none" : exactNumber(offset));

const columnsOf = (flow: FlowAddress): readonly FindingColumn[] => [
  {
    id: "kind",
    label: "Finding",
    value: ({ kind }) => kind,
    cell: ({ kind }) => wordOf(kind),
    ordering: "kind",
  },
  {
    id: "topic",
    label: "Topic",
    value: ({ topic }) => topic,
    cell: ({ topic }) => <NameText name={topic} />,
    cellClass: "topic-cell",
    ordering: "topic",
  },
  {
    id: "partition",
    label: "Partition",
    value: ({ partition }) => partition,
    isNumber: true,
    cell: ({ partition }) => partition,
    ordering: "partition",
  },
  {
    id: "source",
    label: "Source offset",
    value: ({ source_offset }) => source_offset,
    isNumber: true,
    cell: ({ source_offset }) => offsetText(source_offset),
    ordering: "source_offset",
  },
  {
    id: "target",
    label: "Target offset",
    value: ({ target_offset }) => target_offset,
    isNumber: true,
    cell: ({ target_offset }) => offsetText(target_offset),
    ordering: "target_offset",
  },
  {
    id: "records",
    label: "Records",
    value: ({ records }) => records,
    isNumber: true,
    cell: ({ records }) => exactNumber(records),
    ordering: "records",
  },
  {
    id: "detail",
    label: "Detail",
    value: ({ detail }) => detail,
    cell: ({ detail }) => detail || "–",
    cellClass: "muted",
    ordering: "detail",
  },
  {
    id: "record",
    label: "Record",
    value: ({ source_offset }) => source_offset,
    cell: (finding) => <RecordsOf flow={flow} finding={finding} />,
    isFixed: true,
  },
];

/** The order and the columns of findings. */
export function useFindingsView({ source, target }: FlowAddress): TableView<FindingColumn> {
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  return useTableView("findings", columns, "kind");
}

interface FindingsTableProps {
  flow: FlowAddress;
  audit_id: number;
  /** the number of records found so far; the findings are refetched when it grows */
  records: number;
  view: TableView<FindingColumn>;
}

/** The findings of an audit with their offsets on both sides. */
export function FindingsTable({ flow, audit_id, records, view }: FindingsTableProps) {
  const answer = useInfiniteQuery(findingsQuery(flow, audit_id, records, orderingOf(view.all, view.sort)));
  return (
    <PagedTable
      view={view}
      answer={answer}
      empty={<p className="control-none">This audit found nothing.</p>}
      ordered={orderedIds(view.all)}
      rowId={rowId}
    />
  );
}

function rowId({ topic, partition, kind, source_offset, target_offset }: AuditFinding): string {
  return [topic, partition, kind, source_offset, target_offset].join("/");
}

function RecordsOf({ flow, finding }: { flow: FlowAddress; finding: AuditFinding }) {
  const { topic, partition, source_offset, target_offset } = finding;
  const offset = source_offset ?? target_offset;
  if (offset === null) return null;
  const on = source_offset === null ? "target" : "source";
  return <RecordLink {...flow} topic={topic} partition={partition} offset={offset} on={on} />;
}
