/** The looks of lines, the same on the whole page; each six colours have their own dashes. */

const COLOURS = 6;
/** The dashes of each round of colours. */
const DASHES: readonly (number[] | null)[] = [null, [6, 4], [2, 3], [12, 4], [10, 3, 2, 3]];

/** How many lines all look different; then the looks repeat. */
export const LOOKS = COLOURS * DASHES.length;

export interface SeriesLook {
  color: string;
  dash: number[] | null;
}

export function lookOf(place: number): SeriesLook {
  const color = `var(--series-${(place % COLOURS) + 1})`;
  return { color, dash: DASHES[Math.floor(place / COLOURS) % DASHES.length] ?? null };
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
