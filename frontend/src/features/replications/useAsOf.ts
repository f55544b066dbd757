import { useTimeRange } from "@/components/TimeRangeSelect";
import { clockTime } from "@/lib/time";
import type { ConnectionWord } from "@/live/connection";
import { useConnectionWord, useLiveStore } from "@/live/context";

const OLD: ReadonlySet<ConnectionWord> = new Set(["stale", "reconnecting", "polling"]);

/**
 * The time of the live numbers while they are old, in the place of a card's note, so that nothing moves; null while
 * they are live, or while the page shows a range in the past.
 */
export function useAsOf(): string | null {
  const store = useLiveStore();
  const isOld = OLD.has(useConnectionWord());
  const isPast = useTimeRange().to_ms !== null;
  const updated_ms = store.lastUpdate();
  return isOld && !isPast && updated_ms !== null ? `As of ${clockTime(updated_ms)}` : null;
}
