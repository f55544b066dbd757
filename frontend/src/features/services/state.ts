/** The state of a remote service in one word. Pure. */
import type { RemoteService } from "@/api/types";
import type { Tone } from "@/lib/status";

export interface ServiceState {
  tone: Tone;
  word: string;
}

const NOT_ASKED = {
  gone: { tone: "idle", word: "Gone" },
  not_allowed: { tone: "warn", word: "Not allowed" },
  no_credential: { tone: "warn", word: "No token" },
  other_target: { tone: "warn", word: "Other target" },
  own: { tone: "idle", word: "This service" },
} as const satisfies Readonly<Record<Exclude<RemoteService["use"], "asked">, ServiceState>>;

export function stateOf(service: RemoteService): ServiceState {
  if (service.use !== "asked") return NOT_ASKED[service.use];
  if (service.problem !== null) return { tone: "bad", word: "No answer" };
  if (service.answered_ms === null) return { tone: "idle", word: "Not asked yet" };
  if (service.state === "stale") return { tone: "warn", word: "Stale" };
  return { tone: "ok", word: service.is_first ? "Answers" : "In reserve" };
}
