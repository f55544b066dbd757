/** The patterns of a flow: those in force, and those with the open draft. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { EffectiveValue, KnownKey, PropertyChange } from "@/api/types";
import { PATTERN_KEYS, type PatternField, type Patterns } from "@/components/preview/patterns";
import { type Place, prefixOf } from "@/features/configuration/properties/levels";

/** A list of patterns that is edited at its flow. */
export interface EditedList {
  flow: FlowAddress;
  field: PatternField;
}

/** Null: the property is no list of patterns, or it is not one of a flow. */
export function editedList({ level, base, name }: Place, known: KnownKey | undefined): EditedList | null {
  const field = known && PATTERN_KEYS[known.key];
  const [source, target] = base.slice(0, -1).split("->");
  if (field === undefined || level !== "flow" || prefixOf(name) !== "" || !source || !target) return null;
  return { flow: { source, target }, field };
}

/** The patterns that are in force. */
export function patternsInForce(flow: FlowAddress, values: readonly EffectiveValue[]): Patterns {
  return patternsOf(flow, (key) => valueIn(key, values)?.value ?? "");
}

/** The patterns that would be in force with these changes of the flow's properties. */
export function patternsWith(
  changes: readonly PropertyChange[],
  flow: FlowAddress,
  values: readonly EffectiveValue[],
  keys: readonly KnownKey[],
): Patterns {
  return patternsOf(flow, (key) => {
    const own = `${flow.source}->${flow.target}.${key}`;
    const change = changes.find((each) => each.key === own);
    const value = valueIn(key, values);
    if (change === undefined || (change.value === null && value?.key !== own)) return value?.value ?? "";
    if (change.value !== null) return change.value;
    const next = value?.beaten.find(({ has_effect }) => has_effect)?.value;
    return next ?? keys.find((each) => each.key === key)?.default ?? "";
  });
}

const valueIn = (key: string, values: readonly EffectiveValue[]) => values.find(({ name }) => name === key);

function patternsOf({ source, target }: FlowAddress, textOf: (key: string) => string): Patterns {
  const patterns: Patterns = {
    source,
    target,
    topicsAllow: "",
    topicsDeny: "",
    groupsAllow: "",
    groupsDeny: "",
  };
  for (const [key, field] of Object.entries(PATTERN_KEYS)) patterns[field] = textOf(key);
  return patterns;
}
