/** Formats numbers: SI units, three significant figures, the unit separate from the digits. */

export interface Quantity {
  value: string;
  unit: string;
}

/** A value in words. On an axis it has the unit of the highest value. */
export type Measure = (value: number, highest?: number) => Quantity;

export type Measured = number | null | undefined;

export const NOT_MEASURED = "not measured";
export const NOT_LOADED = "not loaded";

/** Of a time to loss that is unknown. */
export const NO_LOSS = "no loss is foreseen, or no task reports it";

const NO_RECORD = "no record was copied";
const NO_METRICS = "no metrics: no driver reports";

/** Why a metric has no value, given the rate of records beside it: a task that runs reports a rate, if only 0. */
export function whyMissing(metric: string, records_per_second: Measured): string {
  if (!isMeasured(records_per_second)) return NO_METRICS;
  return metric === "replication_latency_ms" && records_per_second === 0 ? NO_RECORD : NOT_MEASURED;
}

/** Between a number and its unit, which a line does not part. */
export const NO_BREAK = "\u00a0";

/** A unit, and what it is in the unit of the values. */
interface Unit {
  size: number;
  unit: string;
  /** the least value in this unit; absent: its size */
  from?: number;
}

const ONE: Unit = { size: 1, unit: "" };
const SI_STEPS: readonly Unit[] = [
  { size: 1e12, unit: "T" },
  { size: 1e9, unit: "G" },
  { size: 1e6, unit: "M" },
  { size: 1e3, unit: "k" },
];

/** Milliseconds up to ten seconds, so that a column of latencies keeps one unit. */
const TIME_STEPS: readonly (Unit & { decimals: number })[] = [
  { size: 3_600_000, unit: "h", from: 7_200_000, decimals: 1 },
  { size: 60_000, unit: "min", from: 120_000, decimals: 0 },
  { size: 1_000, unit: "s", from: 10_000, decimals: 1 },
];

function stepOf<Step extends Unit>(steps: readonly Step[], value: number): Step | undefined {
  return steps.find(({ size, from = size }) => Math.abs(value) >= from);
}

const integers = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const exact = new Intl.NumberFormat("en-US", { maximumFractionDigits: 3 });

function threeFigures(value: number): string {
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  return value.toFixed(2);
}

/** 999,600 is 1.00M and not 1000k: the step is chosen after rounding to three figures. */
function scaled(value: number, highest?: number): { digits: string; prefix: string } {
  const rounded = rounding(value);
  const { size, unit: prefix } = stepOf(SI_STEPS, rounding(highest ?? value)) ?? ONE;
  if (highest !== undefined) return { digits: onAxis(value, size), prefix };
  const isWhole = size === 1 && Number.isInteger(rounded);
  return { digits: isWhole ? String(rounded) : threeFigures(rounded / size), prefix };
}

const rounding = (value: number) => Number(value.toPrecision(3));

/** The digits of a tick, as few as it needs. */
const onAxis = (value: number, size: number) => exact.format(rounding(value / size));

/** The ticks of an axis together, all in the unit of the highest one. */
export function tickLabels(ticks: readonly number[], measure: Measure): string[] {
  const highest = Math.max(0, ...ticks.map(Math.abs));
  return ticks.map((tick) => joined(measure(tick, highest)));
}

const ROUND_STEPS = [1, 2, 2.5, 5];
const LEAST_POWER = -3;
const MOST_POWER = 15;

/** The distances between ticks that are round numbers in the unit of the highest value. */
export function tickSteps(highest: number, measure: Measure): number[] {
  const size = measure === milliseconds ? (stepOf(TIME_STEPS, highest)?.size ?? 1) : 1;
  const powers = Array.from({ length: MOST_POWER - LEAST_POWER }, (_, place) => 10 ** (place + LEAST_POWER));
  return powers.flatMap((power) => ROUND_STEPS.map((step) => rounding(step * power) * size));
}

export function isMeasured(value: Measured): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** `614k`, `1.75k`, `428`. */
export function formatCount(value: number, highest?: number): string {
  const { digits, prefix } = scaled(value, highest);
  return value === 0 ? digits : digits + prefix;
}

/** A number of things that the label names. */
export function count(value: number): Quantity {
  return { value: formatCount(value), unit: "" };
}

export function recordsPerSecond(value: number, highest?: number): Quantity {
  return { value: formatCount(value, highest), unit: "/s" };
}

export function bytesPerSecond(value: number, highest?: number): Quantity {
  const { digits, prefix } = scaled(value, highest);
  return { value: digits, unit: `${prefix}B/s` };
}

export function bytes(value: number): Quantity {
  const { digits, prefix } = scaled(value);
  return { value: digits, unit: `${prefix}B` };
}

/** 0.031 is `3.1 %`: the share of one processor. */
export function percent(ratio: number, highest?: number): Quantity {
  if (highest !== undefined) return { value: onAxis(ratio, 0.01), unit: "%" };
  return { value: (ratio * 100).toFixed(ratio < 0.1 ? 1 : 0), unit: "%" };
}

export function records(value: number, highest?: number): Quantity {
  return { value: formatCount(value, highest), unit: (highest ?? value) === 1 ? "record" : "records" };
}

/** Milliseconds, seconds, minutes or hours. */
export function milliseconds(value: number, highest?: number): Quantity {
  const step = stepOf(TIME_STEPS, highest ?? value);
  const unit = step?.unit ?? "ms";
  if (highest !== undefined) return { value: onAxis(value, step?.size ?? 1), unit };
  if (step !== undefined) return { value: (value / step.size).toFixed(step.decimals), unit };
  return { value: Math.abs(value) < 10 ? trimZeros(value.toFixed(1)) : integers.format(value), unit };
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
  return quantity.value + (isSuffix ? "" : NO_BREAK) + quantity.unit;
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${integers.format(count)} ${count === 1 ? one : many}`;
}

/** A partition by its number. */
export function partitionName(partition: number): string {
  return `partition${NO_BREAK}${partition}`;
}

/** A topic, with the partition that is meant; null: the whole topic. */
export function partName(topic: string, partition: number | null): string {
  return partition === null ? topic : `${topic}, ${partitionName(partition)}`;
}
