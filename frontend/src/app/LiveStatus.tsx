import { ActionIcon, Tooltip } from "@mantine/core";
import { IconPlayerPause, IconPlayerPlay } from "@tabler/icons-react";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { clockTime, duration } from "@/lib/time";
import type { ConnectionWord } from "@/live/connection";
import { type Connection, useConnection, useLiveStore, useNow } from "@/live/context";

const WORDS: Record<ConnectionWord, string> = {
  connecting: "Connecting",
  live: "Live",
  stale: "Stale",
  reconnecting: "Reconnecting",
  polling: "Disconnected, refreshing every 10 s",
  signed_out: "Signed out",
};

function tone({ word, is_paused }: Connection): string {
  if (is_paused || word === "connecting") return "idle";
  if (word === "live") return "ok";
  return word === "polling" || word === "signed_out" ? "bad" : "warn";
}

/** The numbers of the page are of a range in the past. */
function PastRange() {
  return (
    <div className="live">
      <Tooltip label="The numbers are of the selected range; states are of this moment">
        <span className="live-word" data-tone="idle">
          <span className="live-dot" aria-hidden />
          Past range
        </span>
      </Tooltip>
    </div>
  );
}

/** The freshness of the numbers, and the button that pauses and resumes live updates. */
export function LiveStatus() {
  const store = useLiveStore();
  const connection = useConnection();
  const now_ms = useNow();
  const isPast = useTimeRange().to_ms !== null;
  const { updated_ms, is_paused } = connection;
  if (isPast) return <PastRange />;
  const age =
    updated_ms === null ? "Nothing received yet" : `Last update ${duration(now_ms - updated_ms)} ago`;
  const word = is_paused ? `Paused at ${clockTime(updated_ms ?? now_ms)}` : WORDS[connection.word];
  const action = is_paused ? "Resume live updates" : "Pause live updates";
  return (
    <div className="live">
      <Tooltip label={age}>
        <span className="live-word" data-tone={tone(connection)}>
          <span className="live-dot" aria-hidden />
          {word}
        </span>
      </Tooltip>
      <Tooltip label={action}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={28}
          aria-label={action}
          aria-pressed={is_paused}
          onClick={() => store.setPaused(!is_paused)}
        >
          {is_paused ? <IconPlayerPlay size={16} aria-hidden /> : <IconPlayerPause size={16} aria-hidden />}
        </ActionIcon>
      </Tooltip>
    </div>
  );
}
