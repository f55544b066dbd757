/** Pinned flows. Pure. */

/** The most that the service keeps for a person. */
const MOST = 50;

/** The pins with the flow added at the end, or without it; beyond the most, the oldest pin is dropped. */
export function toggledPin(pins: readonly string[], key: string): string[] {
  return pins.includes(key) ? pins.filter((pin) => pin !== key) : [...pins, key].slice(-MOST);
}

/** The items of the one kind before the others; both keep their order. */
export function firstOnTop<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): readonly Item[] {
  return [...items.filter(isFirst), ...items.filter((item) => !isFirst(item))];
}
