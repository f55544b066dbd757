/** Differences of the configuration as rows of a table. Pure. */
import type { ConfigDifference, Property, PropertyChange } from "@/api/types";
import type { Change } from "@/components/form/ChangesTable";
import { HIDDEN } from "@/features/configuration/properties/keys";

const SECRET = "secret, stored";
const OTHER_SECRET = "secret, replaced";

/** Secrets are told by name only; a changed comment of an equal value has its own row. */
export function changesOf(differences: readonly ConfigDifference[]): Change[] {
  return differences.flatMap((difference) => {
    const { key, before, after, comment_before, comment_after, is_secret } = difference;
    const rows: Change[] = [];
    if (is_secret) rows.push({ key, ...secretSides(before, after) });
    else if (before !== after) rows.push({ key, before, after });
    if ((comment_before ?? "") !== (comment_after ?? "") && before !== null && after !== null) {
      rows.push({ key: `${key} (comment)`, before: comment_before || null, after: comment_after || null });
    }
    return rows;
  });
}

/** The changes of a draft that is not valid, beside the properties in force. */
export function wantedOf(changes: readonly PropertyChange[], properties: readonly Property[]): Change[] {
  const inForce = new Map(properties.map((property) => [property.key, property]));
  return changes.map(({ key, value }) => {
    const before = inForce.get(key);
    const isSecret = before?.is_secret === true;
    return { key, before: isSecret ? SECRET : (before?.value ?? null), after: shownValue(value) };
  });
}

function secretSides(before: string | null, after: string | null) {
  const isReplaced = before !== null && after !== null;
  return {
    before: before === null ? null : SECRET,
    after: after === null ? null : isReplaced ? OTHER_SECRET : SECRET,
  };
}

/** A value of a change as it may be shown. */
export function shownValue(value: string | null): string | null {
  return value === HIDDEN ? SECRET : value;
}
