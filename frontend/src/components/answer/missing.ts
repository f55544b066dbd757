/** The words for a part of the system that could not answer. Pure. */
import type { components } from "@/api/schema";
import { duration } from "@/lib/time";

export type MissingPart = components["schemas"]["Partial"];

/** The names that share a reason, the reason, and the age of the numbers if they are still shown. */
export function missingTexts(parts: readonly MissingPart[]): string[] {
  const peers = new Map<string, Set<string>>();
  for (const { peer, error, age_ms } of parts) {
    const reason = age_ms === null ? error : `${error}; numbers are ${duration(age_ms)} old`;
    peers.set(reason, (peers.get(reason) ?? new Set()).add(peer));
  }
  return [...peers].map(([reason, names]) => `${[...names].join(", ")}: ${reason}`);
}
