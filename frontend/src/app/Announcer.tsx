import { useEffect, useRef, useState } from "react";
import type { ConnectionWord } from "@/live/connection";
import { useConnectionWord, useMembers } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

const SPOKEN: Partial<Record<ConnectionWord, string>> = {
  live: "Live updates are back",
  reconnecting: "Connection lost, reconnecting",
  polling: "Disconnected, refreshing every 10 seconds",
};

const QUIET_MS = 5_000;

/** Describes the status changes between two states of the flows as sentences. Pure. */
export function statusChanges(before: readonly FlowRow[], now: readonly FlowRow[]): string[] {
  const old = new Map(before.map((flow) => [flow.key, flow.status]));
  return now
    .filter((flow) => old.has(flow.key) && old.get(flow.key) !== flow.status)
    .map((flow) => {
      const reason = flow.reason ? `, ${flow.reason}` : "";
      return `${flow.source} to ${flow.target}: ${flow.status}${reason}`;
    });
}

/** The one polite live region: changes of the connection and of statuses, merged, at most one in five seconds. */
export function Announcer() {
  const flows = useMembers();
  const word = useConnectionWord();
  const [message, setMessage] = useState("");
  const waiting = useRef<string[]>([]);
  const lastFlows = useRef<readonly FlowRow[] | null>(null);
  const lastWord = useRef<ConnectionWord | null>(null);

  useEffect(() => {
    if (lastFlows.current !== null && flows !== null) {
      waiting.current.push(...statusChanges(lastFlows.current, flows));
    }
    lastFlows.current = flows;
  }, [flows]);

  useEffect(() => {
    const spoken = SPOKEN[word];
    const isFirstConnect =
      word === "live" && (lastWord.current === null || lastWord.current === "connecting");
    const isReturnFromSilence = word === "live" && lastWord.current === "stale";
    if (spoken !== undefined && !isFirstConnect && !isReturnFromSilence) waiting.current.push(spoken);
    lastWord.current = word;
  }, [word]);

  useEffect(() => {
    const timer = setInterval(() => {
      if (waiting.current.length === 0) return;
      setMessage(waiting.current.join(". "));
      waiting.current = [];
    }, QUIET_MS);
    return () => clearInterval(timer);
  }, []);

  return (
    <div className="visually-hidden" role="status" aria-live="polite">
      {message}
    </div>
  );
}
