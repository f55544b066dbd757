import { ActionIcon, Tooltip } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { ago, clockTime } from "@/lib/time";
import type { ConnectionWord } from "@/live/connection";
import { useConnectionWord, useLiveStore, useNow, usePaused } from "@/live/context";

const WORDS: Record<ConnectionWord, string> = {
  connecting: "Connecting",
  live: "Live",
  stale: "Stale",
  reconnecting: "Reconnecting",
  polling: "Disconnected, refreshing every 10 s",
  signed_out: "Signed out",
};

function tone(word: ConnectionWord, isPaused: boolean): string {
  if (isPaused || word === "connecting") return "idle";
  if (word === "live") return "ok";
  return word === "polling" || word === "signed_out" ? "bad" : "warn";
}

const PAST_RANGE =
  "Charts and statistics cover the selected range; states, drivers, clusters, services and groups are current";

/** How old the newest numbers are: read each second while it is shown. */
function Age() {
  const now_ms = useNow();
  const updated_ms = useLiveStore().lastUpdate();
  return updated_ms === null ? "Nothing received yet" : `Last update ${ago(now_ms - updated_ms)}`;
}

/** The freshness of the numbers, and the button that pauses and resumes live updates. */
export function LiveStatus() {
  const store = useLiveStore();
  const connection = useConnectionWord();
  const isPaused = usePaused();
  const isPast = useTimeRange().to_ms !== null;
  const isPastShown = isPast && !isPaused;
  const shown = isPast ? "Past range" : WORDS[connection];
  const word = isPaused ? `Paused at ${clockTime(store.lastUpdate() ?? Date.now())}` : shown;
  const action = isPaused ? "Resume live updates" : "Pause live updates";
  return (
    <div className="live">
      <Tooltip label={isPastShown ? PAST_RANGE : <Age />}>
        <span className="live-word" data-tone={isPastShown ? "idle" : tone(connection, isPaused)}>
          <span className="live-dot" aria-hidden />
          {word}
        </span>
      </Tooltip>
      {!isPastShown && (
        <Tooltip label={action}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={28}
            aria-label={action}
            aria-pressed={isPaused}
            onClick={() => store.setPaused(!isPaused)}
          >
            {isPaused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  );
}
