import type { AuditStanding, TopicAuditResult } from "@/api/types";
import { Timestamp } from "@/components/Timestamp";
import { FindingsLink } from "@/features/audits/FindingsLink";
import { findingsText, headline, TONES } from "@/features/audits/results";
import { plural } from "@/lib/format";

const NAMED_TOPICS = 5;

/** The combined result of all audits; a differing topic is listed until an audit clears it. */
export function AuditResult({ state }: { state: AuditStanding }) {
  const { different, unknown } = state.by_verdict;
  const named = state.topics.filter((topic) => topic.verdict === "different").slice(0, NAMED_TOPICS);
  return (
    <div className="reason-banner" data-tone={TONES[state.verdict]}>
      <p>{headline(state)}</p>
      {named.map((topic) => (
        <Difference key={topic.topic} topic={topic} />
      ))}
      {different > named.length && (
        <p className="reason-place">and {plural(different - named.length, "more topic")}</p>
      )}
      {different > 0 && unknown > 0 && (
        <p className="reason-place">{plural(unknown, "topic")} not compared to the end</p>
      )}
    </div>
  );
}

function Difference({ topic: { topic, audit_id, at_ms, findings } }: { topic: TopicAuditResult }) {
  return (
    <p className="reason-place">
      <code>{topic}</code>: {findingsText(findings)}
      {audit_id !== null && (
        <>
          , <FindingsLink audit_id={audit_id}>audit {audit_id}</FindingsLink>
        </>
      )}
      {at_ms !== null && (
        <>
          , <Timestamp time_ms={at_ms} />
        </>
      )}
    </p>
  );
}
