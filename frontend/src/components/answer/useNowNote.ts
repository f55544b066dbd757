import { useTimeRange } from "@/components/TimeRangeSelect";

/** The note of a card whose values are of this moment: while the page shows a range in the past, it says "now". */
export function useNowNote(note: string | number | undefined): string | number | undefined {
  const isPast = useTimeRange().to_ms !== null;
  if (!isPast) return note;
  return note === undefined ? "now" : `${note}, now`;
}
