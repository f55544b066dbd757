/** Events, gaps and versions of the configuration as marks on charts. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { FlowEvent, Gap, Marks, Version } from "@/api/types";
import type { ChartMark, MarksReader } from "@/components/chart/marks";
import { partitionName, plural } from "@/lib/format";
import { taskName } from "@/lib/tasks";
import { wordOf } from "@/lib/words";
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
  const marks = [
    ...found.events.filter(isWanted).map((event) => eventMark(event, ofFlow(event))),
    ...found.gaps.filter(isWanted).map((gap) => gapMark(gap, ofFlow(gap))),
    ...found.versions.map(versionMark),
  ].sort((a, b) => a.time_ms - b.time_ms);
  return { marks: () => marks, words: wordsOf(marks.length, found.is_cut), tone: toneOf(marks) };
}

function toneOf(marks: readonly ChartMark[]): ChartMark["tone"] {
  const tones = ["bad", "idle"] as const;
  return tones.find((tone) => marks.some((mark) => mark.tone === tone)) ?? "config";
}

function eventMark({ time_ms, to_state, topic, partition, task, text }: FlowEvent, flow: string): ChartMark {
  const place = placeOf(topic, partition) ?? taskName(task);
  return {
    time_ms,
    tone: BAD_STATES.has(to_state) ? "bad" : "idle",
    text: `${wordOf(to_state)}: ${flow}${place}${text === null ? "" : `, ${text}`}`,
  };
}

function gapMark({ detected_ms, topic, partition, cause, records }: Gap, flow: string): ChartMark {
  const place = `${flow}${placeOf(topic, partition)}`;
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

/** Of a range with more events than were read, only the newest are counted. */
function wordsOf(count: number, isCut: boolean): string {
  if (count === 0) return "";
  return isCut
    ? `The newest ${plural(count, "event")} of this range`
    : `${plural(count, "event")} in this range`;
}

function placeOf(topic: string | null, partition: number | null): string | null {
  return topic === null || partition === null ? topic : `${topic}, ${partitionName(partition)}`;
}
