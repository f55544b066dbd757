/** The words for a part of the system that could not answer. Pure. */
import type { components } from "@/api/schema";
import { duration } from "@/lib/time";

export type MissingPart = components["schemas"]["Partial"];

/** Its name, the reason, and the age of its numbers if they are still shown. */
export function missingText({ peer, error, age_ms }: MissingPart): string {
  const reason = `${peer}: ${error}`;
  return age_ms === null ? reason : `${reason}; its numbers are ${duration(age_ms)} old`;
}
