/** Times are epoch milliseconds; people see their local time and, in titles, the ISO form. */

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const shortClock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });

export function clockTime(time_ms: number): string {
  return clock.format(time_ms);
}

export function shortClockTime(time_ms: number): string {
  return shortClock.format(time_ms);
}

export function dayAndTime(time_ms: number): string {
  return `${day.format(time_ms)}, ${shortClock.format(time_ms)}`;
}

export function dayAndClock(time_ms: number): string {
  return `${day.format(time_ms)}, ${clock.format(time_ms)}`;
}

export function isoTime(time_ms: number): string {
  return new Date(time_ms).toISOString();
}

/** `7 s`, `5 min`, `3 h 12 min`, `4 d`: how long something has lasted. */
export function duration(length_ms: number): string {
  const seconds = Math.max(0, Math.round(length_ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} d`;
}
