import type { ResetOrder } from "@/api/types";
import { timeOfField } from "@/lib/time";
import { wholeNumber } from "@/lib/words";

/** The position of a reset, its time in the zone of the page; null: it is not complete. */
export function placeOf(kind: string, typed: string): ResetOrder["to"] | null {
  if (kind === "earliest" || kind === "latest") return kind;
  if (kind === "offset") {
    const offset = wholeNumber(typed);
    return offset === null ? null : { offset };
  }
  const timestamp_ms = timeOfField(typed);
  return timestamp_ms === null || timestamp_ms < 0 ? null : { timestamp_ms };
}
