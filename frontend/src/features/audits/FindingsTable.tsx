import { useInfiniteQuery } from "@tanstack/react-query";
import { findingsQuery } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import type { AuditFinding } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { RecordLink } from "@/components/flow/RecordLink";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { useAddressState } from "@/components/table/useAddressState";
import { exactNumber } from "@/lib/format";

const COLUMNS: readonly Column<AuditFinding>[] = [
  { id: "kind", label: "Finding", value: (finding) => finding.kind },
  { id: "topic", label: "Topic", value: (finding) => finding.topic },
  { id: "partition", label: "Partition", value: (finding) => finding.partition, isNumber: true },
  { id: "source", label: "Source offset", value: (finding) => finding.source_offset, isNumber: true },
  { id: "target", label: "Target offset", value: (finding) => finding.target_offset, isNumber: true },
  { id: "records", label: "Records", value: (finding) => finding.records, isNumber: true },
  { id: "detail", label: "Detail", value: (finding) => finding.detail },
];

interface FindingsTableProps {
  flow: FlowAddress;
  audit_id: number;
  /** the number of records found so far; the findings are refetched when it grows */
  records: number;
}

/** The findings of an audit with their offsets on both sides. */
export function FindingsTable({ flow, audit_id, records }: FindingsTableProps) {
  const [sort, setSort] = useAddressState("findings_sort", "kind");
  const answer = useInfiniteQuery(findingsQuery(flow, audit_id, records));
  return (
    <PagedTable
      isStacked
      what="findings"
      answer={answer}
      empty={<p className="control-none">This audit found nothing.</p>}
      columns={COLUMNS}
      rowId={rowId}
      sort={sort}
      onSort={setSort}
      after={
        <th scope="col">
          <span className="visually-hidden">Records of the finding</span>
        </th>
      }
    >
      {(finding) => <FindingRow key={rowId(finding)} flow={flow} finding={finding} />}
    </PagedTable>
  );
}

function rowId({ topic, partition, kind, source_offset, target_offset }: AuditFinding): string {
  return [topic, partition, kind, source_offset, target_offset].join("/");
}

const offsetText = (offset: number | null) => (offset === null ? "none" : exactNumber(offset));

function FindingRow({ flow, finding }: { flow: FlowAddress; finding: AuditFinding }) {
  const { topic, partition, source_offset, target_offset } = finding;
  const offset = source_offset ?? target_offset;
  return (
    <tr>
      <th scope="row">{finding.kind}</th>
      <td className="topic-cell">
        <NameText name={finding.topic} />
      </td>
      <td className="numeric">{finding.partition}</td>
      <td className="numeric">{offsetText(source_offset)}</td>
      <td className="numeric">{offsetText(target_offset)}</td>
      <td className="numeric">{exactNumber(finding.records)}</td>
      <td className="muted">{finding.detail || "–"}</td>
      <td>
        {offset !== null && (
          <RecordLink
            {...flow}
            topic={topic}
            partition={partition}
            offset={offset}
            on={source_offset === null ? "target" : "source"}
          />
        )}
      </td>
    </tr>
  );
}
