/** What edited patterns select beside those in force. Pure. */
import type { GroupPreview, TopicPreview } from "@/api/types";

export interface Selection {
  names: readonly string[];
  /** false: the service lists only the first names */
  isWhole: boolean;
}

export interface Difference {
  /** names that the patterns in force do not select */
  added: ReadonlySet<string>;
  /** names that only the patterns in force select; null: not known */
  ended: readonly string[] | null;
}

export function topicsIn({ matches, counts }: TopicPreview): Selection {
  return { names: matches.map(({ topic }) => topic), isWhole: isWhole(matches, counts.matches) };
}

/** Also groups that the patterns select and the flow does not translate. */
export function groupsIn({ matches, skipped, counts }: GroupPreview): Selection {
  return {
    names: [...matches, ...skipped].map(({ group }) => group),
    isWhole: isWhole(matches, counts.matches) && isWhole(skipped, counts.skipped),
  };
}

const isWhole = (shown: readonly unknown[], count: number | undefined) =>
  (count ?? shown.length) <= shown.length;

/** Null: the names that the patterns in force select are not all known. */
export function differenceOf(edited: Selection, inForce: Selection | null): Difference | null {
  if (inForce === null || !inForce.isWhole) return null;
  const [after, before] = [new Set(edited.names), new Set(inForce.names)];
  return {
    added: new Set(edited.names.filter((name) => !before.has(name))),
    ended: edited.isWhole ? inForce.names.filter((name) => !after.has(name)) : null,
  };
}
