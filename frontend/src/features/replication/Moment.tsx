import { dayAndTime, isoTime } from "@/lib/time";

/** A point in time in the reader's zone; the exact one in the title. */
export function Moment({ time_ms }: { time_ms: number }) {
  return (
    <time dateTime={isoTime(time_ms)} title={isoTime(time_ms)}>
      {dayAndTime(time_ms)}
    </time>
  );
}
