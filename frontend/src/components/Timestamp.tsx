import { dayAndTime, isoTime } from "@/lib/time";

/** A point in time in the local time zone, with the ISO form in the title. */
export function Timestamp({ time_ms }: { time_ms: number }) {
  return (
    <time dateTime={isoTime(time_ms)} title={isoTime(time_ms)}>
      {dayAndTime(time_ms)}
    </time>
  );
}
