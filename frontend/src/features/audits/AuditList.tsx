import { isOpen, reportAddress } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import type { Audit } from "@/api/types";
import { type Column, DataTable } from "@/components/DataTable";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { useAddressState } from "@/components/table/useAddressState";
import { FindingsLink } from "@/features/audits/FindingsLink";
import { recordsFound, TONES, WORDS } from "@/features/audits/results";
import { exactNumber } from "@/lib/format";
import type { Tone } from "@/lib/status";

const COLUMNS: readonly Column<Audit>[] = [
  { id: "id", label: "Audit", value: (audit) => audit.id, isNumber: true },
  { id: "when", label: "Requested", value: (audit) => audit.requested_ms, isNumber: true },
  { id: "topics", label: "Topics", value: topicsOf },
  { id: "verdict", label: "Result", value: (audit) => badgeOf(audit).word },
  { id: "found", label: "Findings", value: (audit) => recordsFound(audit.findings), isNumber: true },
  { id: "report", label: "Report", value: (audit) => audit.id, isNumber: true },
];

interface AuditListProps {
  flow: FlowAddress;
  audits: readonly Audit[];
}

/** The last audits, each with its result, findings and report. */
export function AuditList({ flow, audits }: AuditListProps) {
  const [sort, setSort] = useAddressState("audits_sort", "-id");
  return (
    <DataTable
      isStacked
      label="Table of audits"
      columns={COLUMNS}
      rows={audits}
      rowId={(audit) => String(audit.id)}
      sort={sort}
      onSort={setSort}
    >
      {(audit) => <AuditRow key={audit.id} flow={flow} audit={audit} />}
    </DataTable>
  );
}

function AuditRow({ flow, audit }: { flow: FlowAddress; audit: Audit }) {
  const found = recordsFound(audit.findings);
  return (
    <tr>
      <th scope="row" className="numeric">
        {audit.id}
      </th>
      <td className="numeric">
        {audit.requested_ms === null ? "unknown" : <Timestamp time_ms={audit.requested_ms} />}
      </td>
      <td className="topic-cell">
        <NameText name={topicsOf(audit)} />
      </td>
      <td>
        <StateBadge {...badgeOf(audit)} />
        {audit.error !== null && <span className="reason">{audit.error}</span>}
      </td>
      <td className="numeric">
        {found === 0 ? "none" : <FindingsLink audit_id={audit.id}>{exactNumber(found)}</FindingsLink>}
      </td>
      <td className="numeric">
        <a
          href={reportAddress(flow, audit.id)}
          download={`audit-${audit.id}.md`}
          aria-label={`Report of audit ${audit.id}`}
        >
          Report
        </a>
      </td>
    </tr>
  );
}

function topicsOf({ first_topics, topics_asked }: Audit): string {
  const others = topics_asked - first_topics.length;
  return first_topics.join(", ") + (others > 0 ? ` and ${others} more` : "");
}

/** Shows a difference for an audit in any state, and other results only for a completed one. */
function badgeOf({ state, verdict }: Audit): { tone: Tone; word: string } {
  if (state === "done" || verdict === "different") return { tone: TONES[verdict], word: WORDS[verdict] };
  if (isOpen(state)) return { tone: "idle", word: state === "running" ? "running" : "waiting" };
  return { tone: state === "failed" ? "bad" : "idle", word: state };
}
