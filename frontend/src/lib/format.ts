/** Formats numbers: SI units, three significant figures, the unit separate from the digits. */

export interface Quantity {
  value: string;
  unit: string;
}

export type Measured = number | null | undefined;

export const NOT_MEASURED = "not measured yet";

const SI_STEPS: readonly [number, string][] = [
  [1e12, "T"],
  [1e9, "G"],
  [1e6, "M"],
  [1e3, "k"],
];

const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

function threeFigures(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/** 999,600 is 1.00M and not 1000k: the step is chosen after rounding to three figures. */
function scaled(value: number): { digits: string; prefix: string } {
  const rounded = Number(value.toPrecision(3));
  for (const [step, prefix] of SI_STEPS) {
    if (Math.abs(rounded) >= step) return { digits: threeFigures(rounded / step), prefix };
  }
  const isWhole = Number.isInteger(rounded);
  return { digits: isWhole ? String(rounded) : threeFigures(rounded), prefix: "" };
}

export function isMeasured(value: Measured): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** `614k`, `1.75k`, `428`. */
export function formatCount(value: number): string {
  const { digits, prefix } = scaled(value);
  return digits + prefix;
}

/** A number of things that the label names. */
export function count(value: number): Quantity {
  return { value: formatCount(value), unit: "" };
}

export function recordsPerSecond(value: number): Quantity {
  return { value: formatCount(value), unit: "/s" };
}

export function bytesPerSecond(value: number): Quantity {
  const { digits, prefix } = scaled(value);
  return { value: digits, unit: `${prefix}B/s` };
}

export function bytes(value: number): Quantity {
  const { digits, prefix } = scaled(value);
  return { value: digits, unit: `${prefix}B` };
}

/** 0.031 is `3.1 %`: the share of one processor. */
export function percent(ratio: number): Quantity {
  return { value: (ratio * 100).toFixed(ratio < 0.1 ? 1 : 0), unit: "%" };
}

export function records(value: number): Quantity {
  return { value: formatCount(value), unit: value === 1 ? "record" : "records" };
}

/** Milliseconds up to ten seconds, so that a column of latencies keeps one unit; then seconds, minutes, hours. */
export function milliseconds(value: number): Quantity {
  if (Math.abs(value) < 10) return { value: trimZeros(value.toFixed(1)), unit: "ms" };
  if (Math.abs(value) < 10_000) return { value: integers.format(value), unit: "ms" };
  if (Math.abs(value) < 120_000) return { value: (value / 1000).toFixed(1), unit: "s" };
  if (Math.abs(value) < 7_200_000) return { value: (value / 60_000).toFixed(0), unit: "min" };
  return { value: (value / 3_600_000).toFixed(1), unit: "h" };
}

function trimZeros(digits: string): string {
  return digits.endsWith(".0") ? digits.slice(0, -2) : digits;
}

/** The whole number with separators, for tooltips and copying. */
export function exactNumber(value: number): string {
  return exact.format(value);
}

export function joined(quantity: Quantity): string {
  const isSuffix = quantity.unit.startsWith("/");
  return isSuffix ? quantity.value + quantity.unit : `${quantity.value} ${quantity.unit}`;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${integers.format(count)} ${count === 1 ? one : many}`;
}
