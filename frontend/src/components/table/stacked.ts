/** Tables whose rows become small lists on a phone, where their columns do not fit. */
import "@/components/table/stacked.css";
import type { CSSProperties } from "react";

/** The words before the cells of a row, in the order of its columns, for the class `stacked`. */
export function stackedLabels(labels: readonly string[]): CSSProperties {
  const entries = labels.map((label, place) => [`--column-${place + 1}`, JSON.stringify(label)]);
  return Object.fromEntries(entries) as CSSProperties;
}
