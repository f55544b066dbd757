import type { ConfigFinding } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import type { Tone } from "@/lib/status";

const LOOKS: Record<ConfigFinding["severity"], { tone: Tone; word: string }> = {
  error: { tone: "bad", word: "Error" },
  warning: { tone: "warn", word: "Warning" },
  note: { tone: "idle", word: "Note" },
};
const ORDER = ["error", "warning", "note"];

interface FindingsProps {
  findings: readonly ConfigFinding[];
  /** the text that was checked: each finding shows its line */
  text?: string;
}

/** Remarks about keys, errors first; each ends with its remedy if there is one. */
export function Findings({ findings, text }: FindingsProps) {
  if (findings.length === 0) return null;
  const lines = text?.split("\n");
  const sorted = findings.toSorted((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity));
  return (
    <ul className="findings" aria-label="Findings">
      {sorted.map((finding) => (
        <li key={`${finding.severity} ${finding.key} ${finding.line} ${finding.message}`}>
          <StateBadge {...LOOKS[finding.severity]} />
          <div>
            <p>
              {finding.line !== null && <span className="finding-line">Line {finding.line}</span>}
              {finding.key !== "" && (
                <>
                  <code>{finding.key}</code>:{" "}
                </>
              )}
              {finding.message}
            </p>
            {finding.line !== null && lines?.[finding.line - 1] !== undefined && (
              <pre className="finding-text">{lines[finding.line - 1]}</pre>
            )}
          </div>
        </li>
      ))}
    </ul>
  );
}
