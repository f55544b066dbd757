/** The colours of lines, the same on the whole page; after six colours the lines are dashed. */

const COLOURS = 6;
const DASH = [6, 4];

export interface SeriesLook {
  color: string;
  dash: number[] | null;
}

export function lookOf(place: number): SeriesLook {
  const color = `var(--series-${(place % COLOURS) + 1})`;
  return { color, dash: place < COLOURS ? null : DASH };
}

/** Assigned alphabetically, so that a flow keeps its colour when the table is sorted differently. */
export function looksByKey(keys: readonly string[]): ReadonlyMap<string, SeriesLook> {
  const sorted = [...keys].sort();
  return new Map(sorted.map((key, place) => [key, lookOf(place)]));
}

/** A canvas cannot read CSS variables. */
export function resolvedColor(color: string, element: Element): string {
  const name = /^var\((--[\w-]+)\)$/.exec(color)?.[1];
  return name === undefined ? color : getComputedStyle(element).getPropertyValue(name).trim();
}
