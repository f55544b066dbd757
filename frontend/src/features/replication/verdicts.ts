/** What audits say, in words and tones. */
import type { Audit, AuditStanding } from "@/api/types";
import { exactNumber, plural } from "@/lib/format";
import type { Tone } from "@/lib/status";

type Verdict = Audit["verdict"];
type Findings = Audit["findings"];

export const TONES: Record<Verdict, Tone> = {
  counts_agree: "ok",
  equal: "ok",
  warnings: "warn",
  different: "bad",
  unknown: "idle",
};

const SENTENCES: Record<Verdict, string> = {
  counts_agree: "The numbers of records agree; of some topics nothing else can be compared",
  equal: "Source and copy hold the same records",
  warnings: "Nothing is missing unexplained; some records came twice or were left out on record",
  different: "Source and copy differ",
  unknown: "No topic has been compared to its end",
};

export const WORDS: Record<Verdict, string> = {
  counts_agree: "the numbers agree",
  equal: "the same",
  warnings: "nothing missing unexplained",
  different: "different",
  unknown: "not all compared",
};

const MILDER = ["warnings", "counts_agree", "equal"] as const;

/** The headline of a flow: good news only when it is about all topics. */
export function headline({ verdict, by_verdict, topics_total }: AuditStanding): string {
  const all = plural(topics_total, "topic");
  if (verdict === "different") return `${SENTENCES.different} in ${by_verdict.different} of ${all}`;
  const worst = MILDER.find((milder) => by_verdict[milder] > 0);
  if (verdict !== "unknown" || worst === undefined) return SENTENCES[verdict];
  return `${topics_total - by_verdict.unknown} of ${all} compared, ${WORDS[worst]}`;
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
