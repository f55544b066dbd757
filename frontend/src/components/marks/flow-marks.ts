/** Events, gaps and versions of the configuration as marks on charts. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { FlowEvent, Gap, Marks, Version } from "@/api/types";
import type { ChartMark, MarksReader } from "@/components/chart/marks";
import { partName, plural } from "@/lib/format";
import { taskName } from "@/lib/tasks";
import { inWords, wordOf } from "@/lib/words";
import { flowKey } from "@/live/flow-row";

const BAD_STATES = new Set(["failed", "stalled", "gap", "stopped"]);

/** The marks of a chart. */
export interface FlowMarks {
  marks: MarksReader;
  /** their number in words; empty: there are none */
  words: string;
  /** of the worst of them */
  tone: ChartMark["tone"];
}

interface Shown {
  /** keeps the marks of these flows and of the configuration: what was read may be of the flow before */
  flows: readonly FlowAddress[];
  /** keeps the marks of this topic, of whole slots and of the configuration */
  topic?: string | undefined;
  /** true: the chart has several flows, so that a mark names its flow */
  namesFlow?: boolean;
}

/** The marks in the order of time; undefined: not read yet. */
export function marksOf(found: Marks | undefined, { flows, topic, namesFlow = false }: Shown): FlowMarks {
  if (found === undefined) return { marks: () => [], words: "", tone: "idle" };
  const keys = new Set(flows.map(({ source, target }) => flowKey(source, target)));
  const isWanted = (one: FlowEvent | Gap) =>
    keys.has(flowKey(one.source, one.target)) &&
    (topic === undefined || one.topic === null || one.topic === topic);
  const ofFlow = ({ source, target }: FlowAddress) => (namesFlow ? `${source} → ${target}, ` : "");
  const events = found.events.filter(isWanted);
  const gaps = found.gaps.filter(isWanted);
  const { versions } = found;
  const marks = [
    ...events.map((event) => eventMark(event, ofFlow(event))),
    ...gaps.map((gap) => gapMark(gap, ofFlow(gap))),
    ...versions.map(versionMark),
  ].sort((a, b) => a.time_ms - b.time_ms);
  const ofTasks = topic === undefined ? [] : events.filter((event) => event.topic === null);
  const words = wordsOf(
    [
      [events.length - ofTasks.length, "event"],
      [ofTasks.length, "event of tasks", "events of tasks"],
      [gaps.length, "gap"],
      [versions.length, "change of the configuration", "changes of the configuration"],
    ],
    found.is_cut,
  );
  return { marks: () => marks, words, tone: toneOf(marks) };
}

function toneOf(marks: readonly ChartMark[]): ChartMark["tone"] {
  const tones = ["bad", "idle"] as const;
  return tones.find((tone) => marks.some((mark) => mark.tone === tone)) ?? "config";
}

function eventMark({ time_ms, to_state, topic, partition, task, text }: FlowEvent, flow: string): ChartMark {
  const place = topic === null ? taskName(task) : partName(topic, partition);
  return {
    time_ms,
    tone: BAD_STATES.has(to_state) ? "bad" : "idle",
    text: `${wordOf(to_state)}: ${flow}${place}${text === null ? "" : `, ${text}`}`,
  };
}

function gapMark({ detected_ms, topic, partition, cause, records }: Gap, flow: string): ChartMark {
  const place = `${flow}${partName(topic, partition)}`;
  return {
    time_ms: detected_ms,
    tone: "bad",
    text: `Gap of ${records ?? "unknown"} records: ${place}, ${cause.replaceAll("_", " ")}`,
  };
}

function versionMark({ at_ms, number, author, comment }: Version): ChartMark {
  const text = `Configuration ${number} by ${author}${comment === "" ? "" : `: ${comment}`}`;
  return { time_ms: at_ms, tone: "config", text };
}

/** Each kind by itself, as the tables list them. Of a range with more than was read, only the newest are counted. */
function wordsOf(kinds: readonly Parameters<typeof plural>[], isCut: boolean): string {
  const counts = kinds.filter(([count]) => count > 0).map((kind) => plural(...kind));
  if (counts.length === 0) return "";
  return isCut ? `The newest ${inWords(counts)} of this range` : `${inWords(counts)} in this range`;
}
