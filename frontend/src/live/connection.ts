/** The freshness of the page, in one word. Pure: times are arguments. */

export type ConnectionWord = "connecting" | "live" | "stale" | "reconnecting" | "polling" | "signed_out";

export interface ConnectionFacts {
  is_open: boolean;
  is_signed_out: boolean;
  /** last frame of any kind, pings included; null before the first */
  heard_ms: number | null;
  /** since when there has been no open socket; null while there is one */
  lost_ms: number | null;
  /** whether the socket has ever been open */
  was_open: boolean;
}

export const STALE_AFTER_MS = 5_000;
export const POLL_AFTER_MS = 30_000;
export const POLL_EVERY_MS = 10_000;

const BACKOFF_FIRST_MS = 500;
const BACKOFF_LAST_MS = 15_000;

export function connectionWord(facts: ConnectionFacts, now_ms: number): ConnectionWord {
  if (facts.is_signed_out) return "signed_out";
  if (facts.is_open) {
    const isSilent = facts.heard_ms !== null && now_ms - facts.heard_ms > STALE_AFTER_MS;
    return isSilent ? "stale" : "live";
  }
  const isLostLong = facts.lost_ms !== null && now_ms - facts.lost_ms >= POLL_AFTER_MS;
  if (isLostLong) return "polling";
  return facts.was_open ? "reconnecting" : "connecting";
}

/** Doubles from half a second to fifteen, with half of it random so that browsers do not return all at once. */
export function backoffDelay(attempt: number, random: number): number {
  const full_ms = Math.min(BACKOFF_LAST_MS, BACKOFF_FIRST_MS * 2 ** attempt);
  return full_ms / 2 + (full_ms / 2) * random;
}
