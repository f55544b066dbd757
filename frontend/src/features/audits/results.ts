/** The words and tones of audit results. */
import type { Audit, AuditStanding } from "@/api/types";
import { exactNumber, plural } from "@/lib/format";
import type { Tone } from "@/lib/status";

type Result = Audit["verdict"];
type Findings = Audit["findings"];

export const TONES: Record<Result, Tone> = {
  counts_agree: "ok",
  equal: "ok",
  warnings: "warn",
  different: "bad",
  unknown: "idle",
};

export const RESULTS = ["equal", "counts_agree", "warnings", "different", "unknown"] as const;

export const SENTENCES: Record<Result, string> = {
  counts_agree: "The numbers of records agree; for some topics only these can be compared",
  equal: "Source and copy hold the same records",
  warnings: "No unexplained differences; some records were copied twice or skipped and recorded",
  different: "Source and copy differ",
  unknown: "No topic has been compared to its end",
};

export const WORDS: Record<Result, string> = {
  counts_agree: "The numbers agree",
  equal: "The same",
  warnings: "No unexplained differences",
  different: "Different",
  unknown: "Not all compared",
};

const MILDER = ["warnings", "counts_agree", "equal"] as const satisfies readonly Result[];

/** The headline of a flow; a good result only when all topics have it. */
export function headline({ verdict, by_verdict, topics_total }: AuditStanding): string {
  const all = plural(topics_total, "topic");
  if (verdict === "different") return `${SENTENCES.different} in ${by_verdict.different} of ${all}`;
  const worst = MILDER.find((milder) => by_verdict[milder] > 0);
  if (verdict !== "unknown" || worst === undefined) return SENTENCES[verdict];
  return `${topics_total - by_verdict.unknown} of ${all} compared, ${WORDS[worst].toLowerCase()}`;
}

export function recordsFound(findings: Findings | null | undefined): number {
  return Object.values(findings ?? {}).reduce((sum, records) => sum + records, 0);
}

/** `3 missing, 1 changed` */
export function findingsText(findings: Findings | null): string {
  return Object.entries(findings ?? {})
    .filter(([, records]) => records > 0)
    .map(([kind, records]) => `${exactNumber(records)} ${kind.replace("_", " ")}`)
    .join(", ");
}
