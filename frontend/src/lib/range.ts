/** The one time range of the page, as the URL holds it: `from=now-30m`, or epoch milliseconds in `from` and `to`. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const TEN_SECONDS_MS = 10_000;

export interface RangeSearch {
  from?: string | number | undefined;
  to?: number | undefined;
  /** the range from which a chart was zoomed, to which it returns; absent: the range is no zoom */
  before?: string | undefined;
}

export interface TimeRange {
  /** null while the range ends now and moves with the clock */
  to_ms: number | null;
  from_ms: number | null;
  length_ms: number;
  step_ms: number;
  label: string;
  preset: string | null;
}

export const DEFAULT_PRESET = "now-10m";

export const PRESETS: readonly { value: string; label: string; length_ms: number }[] = [
  { value: "now-10m", label: "Last 10 minutes", length_ms: 10 * MINUTE_MS },
  { value: "now-30m", label: "Last 30 minutes", length_ms: 30 * MINUTE_MS },
  { value: "now-1h", label: "Last hour", length_ms: HOUR_MS },
  { value: "now-2h", label: "Last 2 hours", length_ms: 2 * HOUR_MS },
  { value: "now-6h", label: "Last 6 hours", length_ms: 6 * HOUR_MS },
  { value: "now-24h", label: "Last 24 hours", length_ms: 24 * HOUR_MS },
  { value: "now-7d", label: "Last 7 days", length_ms: 7 * 24 * HOUR_MS },
];

const USUAL = "usual";

/** A range in one word of the address: `now-1h`, or both times with a hyphen. */
export function rangeWord({ from, to }: RangeSearch): string {
  if (from === undefined) return USUAL;
  return to === undefined ? String(from) : `${from}-${to}`;
}

/** The range of such a word. */
export function rangeOfWord(word: string): RangeSearch {
  if (word === USUAL) return {};
  const times = /^(\d+)-(\d+)$/.exec(word);
  return times === null ? { from: word } : { from: Number(times[1]), to: Number(times[2]) };
}

const MAX_POINTS = 720;
/** Fewer steps of data make no line. */
const LEAST_STEPS = 3;
const STEPS_MS = [TEN_SECONDS_MS, 30_000, MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, HOUR_MS] as const;

/** The finest step the store still keeps for data of that age: 10 s for 2 h, 1 min for 48 h, then 1 h. */
function keptStep(oldest_age_ms: number): number {
  if (oldest_age_ms <= 2 * HOUR_MS) return TEN_SECONDS_MS;
  return oldest_age_ms <= 48 * HOUR_MS ? MINUTE_MS : HOUR_MS;
}

export function stepFor(length_ms: number, oldest_age_ms: number): number {
  const finest = Math.max(keptStep(oldest_age_ms), length_ms / MAX_POINTS);
  return STEPS_MS.find((step) => step >= finest) ?? HOUR_MS;
}

const UNITS = {
  m: { name: "minutes", ms: MINUTE_MS },
  h: { name: "hours", ms: HOUR_MS },
  d: { name: "days", ms: 24 * HOUR_MS },
} as const;
/** The longest time of which the service keeps metrics. */
const LONGEST_MS = 90 * 24 * HOUR_MS;

/** The last time of a length that no preset has: `now-3h`; null for another text, or a time that is not kept. */
function lastTime(from: unknown): { value: string; label: string; length_ms: number } | null {
  const [value, length, unit] = /^now-(\d{1,6})([mhd])$/.exec(String(from)) ?? [];
  if (value === undefined) return null;
  const { name, ms } = UNITS[unit as keyof typeof UNITS];
  const length_ms = Number(length) * ms;
  if (length_ms < MINUTE_MS || length_ms > LONGEST_MS) return null;
  return { value, label: `Last ${Number(length)} ${name}`, length_ms };
}

/** Parses the range, which has a few steps of data at least; an invalid URL falls back to the default. */
export function resolveRange(search: RangeSearch, now_ms: number): TimeRange {
  const from_ms = Number(search.from);
  const to_ms = Number(search.to);
  const isAbsolute = Number.isFinite(from_ms) && Number.isFinite(to_ms) && to_ms > from_ms && from_ms > 0;
  if (isAbsolute) {
    const step_ms = stepFor(to_ms - from_ms, now_ms - from_ms);
    const length_ms = Math.max(to_ms - from_ms, LEAST_STEPS * step_ms);
    return { from_ms: to_ms - length_ms, to_ms, length_ms, step_ms, label: "Selected range", preset: null };
  }
  const preset =
    PRESETS.find((one) => one.value === search.from) ??
    lastTime(search.from) ??
    PRESETS.find((one) => one.value === DEFAULT_PRESET);
  const { value, label, length_ms } = preset ?? {
    value: DEFAULT_PRESET,
    label: "",
    length_ms: 10 * MINUTE_MS,
  };
  return {
    from_ms: null,
    to_ms: null,
    length_ms,
    step_ms: stepFor(length_ms, length_ms),
    label,
    preset: value,
  };
}

/** The range in milliseconds at this moment, widened to whole steps so that a cache key lives for one step. */
export function windowAt(range: TimeRange, now_ms: number): { from_ms: number; to_ms: number } {
  const to_ms = Math.ceil((range.to_ms ?? now_ms) / range.step_ms) * range.step_ms;
  const from_ms = range.from_ms ?? to_ms - range.length_ms;
  return { from_ms: Math.floor(from_ms / range.step_ms) * range.step_ms, to_ms };
}
