import type { ChangePlan, FindingSeverity, FlowPlan } from "@/api/types";
import { CopyText } from "@/components/copy/CopyText";
import { StateBadge } from "@/components/StateBadge";
import type { Tone } from "@/lib/status";

const TONES: Record<FindingSeverity, Tone> = { error: "bad", warning: "warn", note: "idle" };
const WORDS: Record<FindingSeverity, string> = { error: "Error", warning: "Warning", note: "Note" };

interface PlanFindingsProps {
  plan: FlowPlan;
  /** remarks about keys of the whole change */
  findings: ChangePlan["findings"];
}

/** What prevents or limits the plan of a flow with its remedy, and what could not be inspected. */
export function PlanFindings({ plan, findings }: PlanFindingsProps) {
  const { changes } = plan;
  const isFine = changes.findings.length + findings.length + changes.unlooked.length === 0;
  return (
    <ul className="plan-findings">
      {isFine && (
        <li>
          <StateBadge tone="ok" word="Ready" /> Rights, names and loops are in order.
        </li>
      )}
      {changes.findings.map((finding) => (
        <li key={`${finding.code} ${finding.text}`}>
          <p>
            <StateBadge tone={TONES[finding.severity]} word={WORDS[finding.severity]} /> {finding.text}
          </p>
          {finding.remedy && <Remedy text={finding.remedy} />}
        </li>
      ))}
      {findings.map((finding) => (
        <li key={`${finding.key} ${finding.message}`}>
          <StateBadge tone={TONES[finding.severity]} word={WORDS[finding.severity]} />{" "}
          <code>{finding.key}</code>: {finding.message}
        </li>
      ))}
      {changes.unlooked.map(({ part, reason }) => (
        <li key={part}>
          <StateBadge tone="warn" word="Not inspected" /> {part}: {reason}
        </li>
      ))}
    </ul>
  );
}

/** Commands can be copied. */
function Remedy({ text }: { text: string }) {
  const at = text.search(/kafka-(acls|configs|topics)/);
  if (at === -1) return <p className="muted">{text}</p>;
  return (
    <>
      {at > 0 && <p className="muted">{text.slice(0, at).trim()}</p>}
      <CopyText label="Command" text={text.slice(at)} />
    </>
  );
}
