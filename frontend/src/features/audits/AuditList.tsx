import { useMemo } from "react";
import { isOpen, reportAddress } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import type { Audit } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { FindingsLink } from "@/features/audits/FindingsLink";
import { recordsFound, TONES, WORDS } from "@/features/audits/results";
import { exactNumber } from "@/lib/format";
import type { Tone } from "@/lib/status";
import { wordOf } from "@/lib/words";

const columnsOf = (flow: FlowAddress): readonly CellColumn<Audit>[] => [
  { id: "id", label: "Audit", value: ({ id }) => id, isNumber: true, cell: ({ id }) => id },
  {
    id: "when",
    label: "Requested",
    value: ({ requested_ms }) => requested_ms,
    isNumber: true,
    cell: ({ requested_ms }) => (requested_ms === null ? "unknown" : <Timestamp time_ms={requested_ms} />),
  },
  {
    id: "topics",
    label: "Topics",
    value: topicsOf,
    cell: (audit) => <NameText name={topicsOf(audit)} />,
    cellClass: "topic-cell",
  },
  {
    id: "verdict",
    label: "Result",
    value: (audit) => badgeOf(audit).word,
    cell: (audit) => (
      <>
        <StateBadge {...badgeOf(audit)} />
        {audit.error !== null && <span className="reason">{audit.error}</span>}
      </>
    ),
  },
  {
    id: "found",
    label: "Findings",
    hint: "Records that differ",
    value: ({ findings }) => recordsFound(findings),
    isNumber: true,
    cell: ({ id, findings }) => <Found audit_id={id} records={recordsFound(findings)} />,
  },
  {
    id: "report",
    label: "Report",
    value: ({ id }) => id,
    isFixed: true,
    isNumber: true,
    cell: ({ id }) => (
      <a href={reportAddress(flow, id)} download={`audit-${id}.md`} aria-label={`Report of audit ${id}`}>
        Report
      </a>
    ),
  },
];

interface AuditListProps {
  flow: FlowAddress;
  audits: readonly Audit[];
}

/** The last audits, each with its result, findings and report. */
export function AuditList({ flow: { source, target }, audits }: AuditListProps) {
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  const view = useTableView("audits", columns, "-id");
  return (
    <>
      <div className="control-part">
        <h3>Last audits</h3>
        <ColumnMenu {...view} />
        <ListCommands list="audits" flow={{ source, target }} />
      </div>
      <ColumnTable label="Table of audits" view={view} rows={audits} rowId={({ id }) => String(id)} />
    </>
  );
}

function Found({ audit_id, records }: { audit_id: number; records: number }) {
  if (records === 0) return "none";
  return <FindingsLink audit_id={audit_id}>{exactNumber(records)}</FindingsLink>;
}

function topicsOf({ first_topics, topics_asked }: Audit): string {
  const others = topics_asked - first_topics.length;
  return first_topics.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

/** Shows a difference for an audit in any state, and other results only for a completed one. */
function badgeOf({ state, verdict }: Audit): { tone: Tone; word: string } {
  if (state === "done" || verdict === "different") return { tone: TONES[verdict], word: WORDS[verdict] };
  if (isOpen(state)) return { tone: "idle", word: state === "running" ? "Running" : "Waiting" };
  return { tone: state === "failed" ? "bad" : "idle", word: wordOf(state) };
}
