import type { ResetOrder } from "@/api/types";
import { wholeNumber } from "@/lib/words";

/** The position of a reset; null: it is not complete. Pure. */
export function placeOf(kind: string, typed: string): ResetOrder["to"] | null {
  if (kind === "earliest" || kind === "latest") return kind;
  if (kind === "offset") {
    const offset = wholeNumber(typed);
    return offset === null ? null : { offset };
  }
  const timestamp_ms = Date.parse(typed);
  return Number.isNaN(timestamp_ms) || timestamp_ms < 0 ? null : { timestamp_ms };
}
