/** What happened to a flow, as marks on its charts. Pure. */
import type { FlowEvent, Gap, Version } from "@/api/types";
import type { ChartMark } from "@/components/chart/marks";

const BAD_STATES = new Set(["failed", "stalled", "gap", "stopped"]);

interface Happenings {
  events: readonly FlowEvent[];
  gaps: readonly Gap[];
  versions: readonly Version[];
}

function wordOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The marks in the order of time; `topic` keeps those of a topic, of whole slots and of the configuration. */
export function marksOf({ events, gaps, versions }: Happenings, topic?: string): ChartMark[] {
  const isWanted = (of: string | null) => topic === undefined || of === null || of === topic;
  const marks = [
    ...events
      .filter((event) => isWanted(event.topic))
      .map(
        ({ time_ms, to_state, topic: of, partition, task, text }): ChartMark => ({
          time_ms,
          tone: BAD_STATES.has(to_state) ? "bad" : "idle",
          text: `${wordOf(to_state)}: ${placeOf(of, partition) ?? task}${text === null ? "" : `, ${text}`}`,
        }),
      ),
    ...gaps
      .filter((gap) => isWanted(gap.topic))
      .map(
        ({ detected_ms, topic: of, partition, cause, records }): ChartMark => ({
          time_ms: detected_ms,
          tone: "bad",
          text: `Gap of ${records ?? "unknown"} records: ${placeOf(of, partition)}, ${cause.replaceAll("_", " ")}`,
        }),
      ),
    ...versions.map(
      ({ at_ms, number, author, comment }): ChartMark => ({
        time_ms: at_ms,
        tone: "config",
        text: `Configuration ${number} by ${author}${comment === "" ? "" : `: ${comment}`}`,
      }),
    ),
  ];
  return marks.sort((a, b) => a.time_ms - b.time_ms);
}

function placeOf(topic: string | null, partition: number | null): string | null {
  return topic === null || partition === null ? topic : `${topic}, partition ${partition}`;
}
