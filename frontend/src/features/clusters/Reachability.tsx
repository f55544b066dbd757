import { useState } from "react";
import type { Cluster } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import type { Tone } from "@/lib/status";
import { ago } from "@/lib/time";
import { useNow } from "@/live/context";

/** The service checks a cluster when the page reads it and the last check is 15 s old. The page reads every 10 s. */
const CHECK_MS = 20_000;
const STALE_MS = 2 * CHECK_MS;
const CHECKING = "It is being checked again.";
const OVERDUE = "The check is overdue: test the connection.";

/** The answer of the last check and its age; an old one is not the state of now. The page asks for checks. */
export function Reachability({ cluster }: { cluster: Cluster }) {
  const now_ms = useNow();
  const [shown_ms] = useState(now_ms);
  const { problem, reachable, checked_ms, error, warning } = cluster;
  if (problem) return <Reason tone="bad" word="Cannot be used" reason={problem} />;
  const age_ms = checked_ms === null ? null : now_ms - checked_ms;
  const isReport = reachable === false; // of drivers too, which begins with the outage
  if (age_ms !== null && age_ms > STALE_MS && !isReport) {
    const word = `Last checked ${ago(age_ms)}`;
    return <Reason tone="idle" word={word} reason={now_ms - shown_ms > STALE_MS ? OVERDUE : CHECKING} />;
  }
  if (reachable === null) return <StateBadge tone="idle" word="Not asked yet" />;
  const word = reachable ? "Reachable" : "Unreachable";
  const words = age_ms === null ? word : `${word}, ${ago(age_ms)}`;
  if (reachable && warning) return <Reason tone="warn" word={words} reason={warning} />;
  if (reachable) return <StateBadge tone="ok" word={words} />;
  return <Reason tone="bad" word={words} reason={error} />;
}

function Reason({ tone, word, reason }: { tone: Tone; word: string; reason: string | null }) {
  return (
    <div>
      <StateBadge tone={tone} word={word} />
      {reason !== null && <span className="reason">{reason}</span>}
    </div>
  );
}
