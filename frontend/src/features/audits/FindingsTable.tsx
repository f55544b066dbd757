import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { findingsQuery } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import type { AuditFinding } from "@/api/types";
import { RecordLink } from "@/components/flow/RecordLink";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import type { CellColumn } from "@/components/table/ColumnTable";
import { type TableView, useTableView } from "@/components/table/useTableView";
import { exactNumber } from "@/lib/format";

const offsetText = (offset: number | null) => (offset === null ? "none" : exactNumber(offset));

const columnsOf = (flow: FlowAddress): readonly CellColumn<AuditFinding>[] => [
  { id: "kind", label: "Finding", value: ({ kind }) => kind, cell: ({ kind }) => kind },
  {
    id: "topic",
    label: "Topic",
    value: ({ topic }) => topic,
    cell: ({ topic }) => <NameText name={topic} />,
    cellClass: "topic-cell",
  },
  {
    id: "partition",
    label: "Partition",
    value: ({ partition }) => partition,
    isNumber: true,
    cell: ({ partition }) => partition,
  },
  {
    id: "source",
    label: "Source offset",
    value: ({ source_offset }) => source_offset,
    isNumber: true,
    cell: ({ source_offset }) => offsetText(source_offset),
  },
  {
    id: "target",
    label: "Target offset",
    value: ({ target_offset }) => target_offset,
    isNumber: true,
    cell: ({ target_offset }) => offsetText(target_offset),
  },
  {
    id: "records",
    label: "Records",
    value: ({ records }) => records,
    isNumber: true,
    cell: ({ records }) => exactNumber(records),
  },
  {
    id: "detail",
    label: "Detail",
    value: ({ detail }) => detail,
    cell: ({ detail }) => detail || "–",
    cellClass: "muted",
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
export function useFindingsView({ source, target }: FlowAddress): TableView<CellColumn<AuditFinding>> {
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  return useTableView("findings", columns, "kind");
}

interface FindingsTableProps {
  flow: FlowAddress;
  audit_id: number;
  /** the number of records found so far; the findings are refetched when it grows */
  records: number;
  view: TableView<CellColumn<AuditFinding>>;
}

/** The findings of an audit with their offsets on both sides. */
export function FindingsTable({ flow, audit_id, records, view }: FindingsTableProps) {
  const answer = useInfiniteQuery(findingsQuery(flow, audit_id, records));
  return (
    <PagedTable
      view={view}
      answer={answer}
      empty={<p className="control-none">This audit found nothing.</p>}
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
