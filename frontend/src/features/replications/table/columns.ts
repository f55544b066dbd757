/** The columns of the table of flows, each declared once: sort key, cell, choice and download follow. Pure. */
import type { FlowRow, ListedFlow, StatisticsField } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { columnsOf } from "@/components/table/columns/column-choice";
import { latencyLabel, type Statistic } from "@/components/table/columns/statistic";
import { NO_LOSS, NOT_LOADED, whyMissing } from "@/lib/format";
import { orderedBy } from "@/lib/order";
import { firstOnTop } from "@/lib/pins";
import { urgencyText } from "@/lib/status";
import { type AnyMetric, LAG_TIME } from "@/lib/units";
import { capitalized, matchesWords } from "@/lib/words";

/** A flow as a row: its live numbers, and what REST has of it over the range of the page. */
export interface TableFlow {
  flow: FlowRow;
  /** undefined: not loaded yet */
  facts: ListedFlow | undefined;
  statistic: Statistic;
}

type ListMetric = keyof ListedFlow["metrics"] & AnyMetric;
type LiveNumber = keyof {
  [Name in keyof FlowRow as FlowRow[Name] extends number | null ? Name : never]: true;
};

/** Where a number comes from. */
export interface Reading {
  metric: ListMetric;
  /** the live column; absent: the metric has no value of this second, and "Now" shows its average */
  live?: LiveNumber;
  /** the figure that the column always shows; absent: that of the chosen statistic */
  figure?: StatisticsField;
}

export const READINGS = {
  throughput: { metric: "bytes_per_second", live: "bytes_per_second" },
  records: { metric: "records_per_second", live: "records_per_second" },
  p50: { metric: "replication_latency_ms", live: "latency_p50_ms", figure: "p50" },
  p95: { metric: "replication_latency_ms", live: "latency_p95_ms", figure: "p95" },
  latency: { metric: "replication_latency_ms", live: "latency_p95_ms" },
  lag: { metric: "lag_offsets", live: "lag_offsets" },
  lag_time: { metric: "lag_ms" },
  heartbeat: { metric: "heartbeat_age_ms", live: "heartbeat_age_ms" },
} as const satisfies Readonly<Record<string, Reading>>;

export interface FlowColumn extends Column<TableFlow> {
  reading?: Reading;
  /** always of this moment, also when the page shows a range in the past */
  isOfNow?: boolean;
}

function measured(id: string, label: string, reading: Reading, more: Partial<FlowColumn> = {}): FlowColumn {
  return { id, label, reading, isNumber: true, value: (row) => readingOf(row, reading), ...more };
}

/** The number of a column; null is unknown. */
export function readingOf({ flow, facts, statistic }: TableFlow, reading: Reading): number | null {
  if (statistic === "now" && reading.live !== undefined) return flow[reading.live];
  return facts?.metrics[reading.metric][figureOf(reading, statistic)] ?? null;
}

/** The figure of the range that a number without a live value shows. */
export function figureOf(reading: Reading, statistic: Statistic): StatisticsField {
  return reading.figure ?? (statistic === "now" ? "avg" : statistic);
}

/** Why a number of a flow is unknown. */
export function whyUnknown(row: TableFlow, { metric, live }: Reading): string {
  const isLive = row.statistic === "now" && live !== undefined;
  if (!isLive && row.facts === undefined) return NOT_LOADED;
  return whyMissing(metric, readingOf(row, READINGS.records));
}

/** Why the time to loss of a flow is unknown. */
export const whyNoLoss = (facts: object | undefined) => (facts === undefined ? NOT_LOADED : NO_LOSS);

const CHOSEN = "Shows the selected statistic";

export const FLOW_COLUMNS: readonly FlowColumn[] = [
  {
    id: "flow",
    label: "Source and target",
    value: ({ flow }) => `${flow.source} ${flow.target}`,
  },
  {
    id: "status",
    label: "Status",
    value: ({ flow }) => urgencyText(flow.status),
    isOfNow: true,
  },
  measured("throughput", "Throughput", READINGS.throughput, {
    hint: `Bytes copied per second, as stored in the source. ${CHOSEN}`,
  }),
  measured("records", "Records", READINGS.records, {
    hint: `Records copied per second. ${CHOSEN}`,
  }),
  measured(
    "sent",
    "Sent",
    { metric: "wire_bytes_per_second" },
    { hint: `Bytes sent to the target, compressed. ${CHOSEN}`, isExtra: true },
  ),
  measured("latency", "Latency", READINGS.latency, {
    hint: `Replication latency; now, 95% of the records took this long or less. ${CHOSEN}`,
  }),
  measured("p50", "Latency p50", READINGS.p50, {
    hint: "Replication latency: 50% of the records took this long or less",
    isExtra: true,
  }),
  measured("p95", "Latency p95", READINGS.p95, {
    hint: "Replication latency: 95% of the records took this long or less",
    isExtra: true,
  }),
  measured(
    "p99",
    "Latency p99",
    { metric: "replication_latency_ms", figure: "p99" },
    { hint: "Replication latency over the range: 99% of the records took this long or less", isExtra: true },
  ),
  measured(
    "checkpoint",
    "Checkpoint",
    { metric: "checkpoint_latency_ms" },
    {
      hint: `Checkpoint latency over the range: from the commit of a group to its checkpoint. ${CHOSEN}`,
    },
  ),
  measured("lag", "Lag", READINGS.lag, {
    hint: "Records of the source that are not copied yet",
  }),
  measured("lag_time", "Lag in time", READINGS.lag_time, {
    hint: `${capitalized(LAG_TIME)}. ${CHOSEN} over the range`,
    isExtra: true,
  }),
  {
    id: "catch_up",
    label: "Up to date in",
    value: ({ flow, facts }) => (flow.lag_offsets === 0 ? 0 : (facts?.catch_up_ms ?? null)),
    isNumber: true,
    isOfNow: true,
    hint: "Time until the flow has caught up with its source at the current rates",
    isExtra: true,
  },
  {
    id: "loss",
    label: "Time to loss",
    value: ({ facts }) => facts?.time_to_loss_ms ?? null,
    isNumber: true,
    isOfNow: true,
    hint: `Time until retention on the source overtakes the flow; unknown: ${NO_LOSS}`,
    isExtra: true,
  },
  {
    id: "topics",
    label: "Topics",
    value: ({ flow }) => flow.topics,
    isNumber: true,
    isOfNow: true,
    hint: "Topics that the plan of the flow copies",
  },
  {
    id: "partitions",
    label: "Partitions",
    value: ({ flow }) => flow.partitions,
    isNumber: true,
    isOfNow: true,
    hint: "Partitions of these topics",
    isExtra: true,
  },
  {
    id: "groups",
    label: "Groups",
    value: ({ flow }) => flow.groups?.total ?? null,
    isNumber: true,
    isOfNow: true,
    hint: "Ready consumer groups / all consumer groups whose offsets the flow translates",
  },
  {
    id: "tasks",
    label: "Tasks",
    value: ({ flow }) => flow.tasks_running,
    isNumber: true,
    isOfNow: true,
    hint: "Source tasks running of those planned",
  },
  measured("heartbeat", "Heartbeat", READINGS.heartbeat, {
    hint: "Age of the newest heartbeat that came through the flow",
    isExtra: true,
  }),
  measured(
    "gaps",
    "Gaps",
    { metric: "gaps", figure: "sum" },
    { hint: "Ranges of offsets that were not copied, found in the range", isExtra: true },
  ),
  measured(
    "duplicates",
    "Duplicates",
    { metric: "duplicates", figure: "sum" },
    { hint: "Records that were copied more than once in the range", isExtra: true },
  ),
  {
    id: "proven",
    label: "Proven until",
    value: ({ facts }) => facts?.proven_until_ms ?? null,
    isNumber: true,
    isOfNow: true,
    hint: "An audit has shown that both sides hold the same records up to this time",
    isExtra: true,
  },
  {
    id: "applied",
    label: "Applied",
    value: ({ facts }) => appliedWord(facts),
    isOfNow: true,
    hint: "Every task has applied the desired settings",
    isExtra: true,
  },
  {
    id: "service",
    label: "Service",
    hint: "Address of the service that reports the flow",
    value: ({ flow }) => flow.service,
    isExtra: true,
  },
  { id: "owner", label: "Owner", value: ({ facts }) => facts?.owner || null, isExtra: true },
  {
    id: "criticality",
    label: "Criticality",
    value: ({ facts }) => facts?.criticality ?? null,
    isExtra: true,
  },
  { id: "labels", label: "Labels", value: ({ facts }) => labelsText(facts) || null, isExtra: true },
];

/** The columns of the address, the latency with the name of the figure that it shows. */
export function headedColumns(chosen: string | undefined, statistic: Statistic): readonly FlowColumn[] {
  const headed = (column: FlowColumn) =>
    column.id === "latency" ? { ...column, label: latencyLabel(statistic) } : column;
  return flowColumns(chosen).map(headed);
}

/** The columns of the address; the source and target are always first. */
export function flowColumns(chosen: string | undefined): readonly FlowColumn[] {
  return columnsOf(FLOW_COLUMNS, chosen);
}

export function appliedWord(facts: ListedFlow | undefined): "yes" | "no" | "rejected" | null {
  if (facts === undefined) return null;
  const { is_applied, rejected } = facts.revisions;
  if (rejected.length > 0) return "rejected";
  return is_applied === null ? null : is_applied ? "yes" : "no";
}

export function labelsText(facts: ListedFlow | undefined): string {
  return Object.entries(facts?.labels ?? {})
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}

/** What needs attention is first; equally urgent flows come by throughput. */
export const DEFAULT_SORT = "status";

/** The flows in the order of the sort, unknown values last; equal ones by throughput. Pinned ones are first. */
export function sortedFlows(
  rows: readonly TableFlow[],
  sort: string,
  pins: readonly string[] = [],
): readonly TableFlow[] {
  return firstOnTop(inOrder(rows, sort), ({ flow }) => pins.includes(flow.key));
}

function inOrder(rows: readonly TableFlow[], sort: string): readonly TableFlow[] {
  const ordered = byThroughput(rows);
  const column = FLOW_COLUMNS.find(({ id }) => id === sort.replace(/^-/, ""));
  return column === undefined ? ordered : orderedBy(ordered, column.value, sort.startsWith("-"));
}

/** Highest throughput first. */
export function byThroughput(rows: readonly TableFlow[]): readonly TableFlow[] {
  return orderedBy(rows, ({ flow }) => flow.bytes_per_second, true);
}

/** Every word of the filter must be in a name, a label, the owner or the criticality: `us-east team=payments`. */
export function matchesFilter({ flow, facts }: TableFlow, q: string, status: string): boolean {
  if (status !== "" && flow.status !== status) return false;
  if (q === "") return true;
  const described = `${labelsText(facts)} ${facts?.owner ?? ""} ${facts?.criticality ?? ""}`;
  return matchesWords(`${flow.source} ${flow.target} ${described}`, q);
}
