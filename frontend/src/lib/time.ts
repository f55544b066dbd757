/** Times are epoch milliseconds; people see their local time or UTC and, in titles, the ISO form. */

import { NO_BREAK, type Quantity } from "@/lib/format";

export type Zone = "local" | "utc";

const STORED = "srm.zone";
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

interface Formats {
  clock: Intl.DateTimeFormat;
  shortClock: Intl.DateTimeFormat;
  day: Intl.DateTimeFormat;
  dayOfYear: Intl.DateTimeFormat;
}

function formatsOf(zone: Zone): Formats {
  const timeZone = zone === "utc" ? { timeZone: "UTC" } : {};
  const minutes = { hour: "2-digit", minute: "2-digit", ...timeZone } as const;
  const day = { day: "numeric", month: "short", ...timeZone } as const;
  return {
    clock: new Intl.DateTimeFormat("en-GB", { ...minutes, second: "2-digit" }),
    shortClock: new Intl.DateTimeFormat("en-GB", minutes),
    day: new Intl.DateTimeFormat("en-GB", day),
    dayOfYear: new Intl.DateTimeFormat("en-GB", { ...day, year: "numeric" }),
  };
}

function storedZone(): Zone {
  try {
    return globalThis.localStorage?.getItem(STORED) === "utc" ? "utc" : "local";
  } catch {
    return "local";
  }
}

let zone: Zone = storedZone();
let formats = formatsOf(zone);
const listeners = new Set<() => void>();

export const currentZone = (): Zone => zone;

/** Shows all times in this zone, now and on the next visit. */
export function setZone(wanted: Zone): void {
  zone = wanted;
  formats = formatsOf(wanted);
  globalThis.localStorage?.setItem(STORED, wanted);
  for (const listener of listeners) listener();
}

/** Calls back after each change of the zone; returns what ends that. */
export function onZone(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** `UTC`, or the offset of the local zone from it, such as `UTC+2`. */
export function zoneName(time_ms: number): string {
  if (zone === "utc") return "UTC";
  const parts = new Intl.DateTimeFormat("en-GB", { timeZoneName: "shortOffset" }).formatToParts(time_ms);
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "local";
  return name.replace(/^GMT/, "UTC").replace(/^UTC[+-]0$/, "UTC");
}

export function clockTime(time_ms: number): string {
  return formats.clock.format(time_ms);
}

export function shortClockTime(time_ms: number): string {
  return formats.shortClock.format(time_ms);
}

/** The day, with its year when that is not the present one. */
export function dayOf(time_ms: number): string {
  const yearOf = (date: Date) => (zone === "utc" ? date.getUTCFullYear() : date.getFullYear());
  const isThisYear = yearOf(new Date(time_ms)) === yearOf(new Date());
  return (isThisYear ? formats.day : formats.dayOfYear).format(time_ms).replaceAll(" ", NO_BREAK);
}

export function dayAndTime(time_ms: number): string {
  return `${dayOf(time_ms)},${NO_BREAK}${formats.shortClock.format(time_ms)}`;
}

export function dayAndClock(time_ms: number): string {
  return `${dayOf(time_ms)},${NO_BREAK}${formats.clock.format(time_ms)}`;
}

/** Both ends of a range, with their days unless both are today; an end on the day of the start has its time only. */
export function rangeText(from_ms: number, to_ms: number, now_ms: number): string {
  const day = formats.day.format(from_ms);
  const isOneDay = day === formats.day.format(to_ms) && Math.abs(to_ms - from_ms) <= DAY_MS;
  const isToday = day === formats.day.format(now_ms) && Math.abs(now_ms - from_ms) <= DAY_MS;
  if (isOneDay && isToday) return `${clockTime(from_ms)} – ${clockTime(to_ms)}`;
  return `${dayAndTime(from_ms)} – ${isOneDay ? shortClockTime(to_ms) : dayAndTime(to_ms)}`;
}

/** The text of a `datetime-local` field for a time, in the zone of the page. */
export function fieldTime(time_ms: number): string {
  const offset_ms = zone === "utc" ? 0 : new Date(time_ms).getTimezoneOffset() * 60_000;
  return new Date(time_ms - offset_ms).toISOString().slice(0, 16);
}

/** The time of a `datetime-local` field in the zone of the page; null while it is not complete. */
export function timeOfField(text: string): number | null {
  const time_ms = Date.parse(zone === "utc" ? `${text}Z` : text);
  return Number.isNaN(time_ms) ? null : time_ms;
}

/** Names the zone of a `datetime-local` field, at the time in it. */
export function fieldZone(text: string): string {
  return `In ${zoneName(timeOfField(text) ?? Date.now())}, the time zone of the page`;
}

export function isoTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

/** How old something is, to whole seconds: `7 s`, `5 min`, `3 h`, `4 d`. */
export function age(length_ms: number): Quantity {
  const [value = "", unit = ""] = duration(length_ms).split(NO_BREAK);
  return { value, unit };
}

/** Below it, the seconds of a duration matter. */
const EXACT_MINUTES = 10;

/** `7 s`, `1 min 26 s`, `15 min`, `3 h 12 min`, `4 d`, `3 y`: how long something has lasted. */
export function duration(length_ms: number): string {
  const seconds = Math.max(0, Math.round(length_ms / 1000));
  if (seconds < 60) return `${seconds}${NO_BREAK}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < EXACT_MINUTES) return withRest(`${minutes}${NO_BREAK}min`, seconds % 60, "s");
  if (minutes < 60) return `${minutes}${NO_BREAK}min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return withRest(`${hours}${NO_BREAK}h`, minutes % 60, "min");
  const days = Math.floor(hours / 24);
  return days < 730 ? `${days}${NO_BREAK}d` : `${Math.floor(days / 365)}${NO_BREAK}y`;
}

/** `3 min ago`: as a duration, without the seconds of minutes. */
export function ago(length_ms: number): string {
  const length = length_ms < MINUTE_MS ? length_ms : length_ms - (length_ms % MINUTE_MS);
  return `${duration(length)}${NO_BREAK}ago`;
}

const withRest = (text: string, rest: number, unit: string) =>
  rest === 0 ? text : [text, rest, unit].join(NO_BREAK);
