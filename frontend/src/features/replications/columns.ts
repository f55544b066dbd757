/** What the table of flows can be sorted by, and how it is filtered. Pure. */
import type { Column } from "@/components/DataTable";
import { urgency } from "@/lib/status";
import { matchesWords } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

export const FLOW_COLUMNS: readonly Column<FlowRow>[] = [
  { id: "flow", label: "Source and target", value: (flow) => `${flow.source} ${flow.target}` },
  { id: "status", label: "Status", value: (flow) => urgencyText(flow.status) },
  { id: "throughput", label: "Throughput", value: (flow) => flow.bytes_per_second, isNumber: true },
  { id: "records", label: "Records", value: (flow) => flow.records_per_second, isNumber: true },
  {
    id: "p50",
    label: "p50",
    value: (flow) => flow.latency_p50_ms,
    isNumber: true,
    hint: "Replication latency: half of the records of the last 10 s took no longer",
  },
  {
    id: "p95",
    label: "Latency p95",
    value: (flow) => flow.latency_p95_ms,
    isNumber: true,
    hint: "Replication latency: 95 of 100 records of the last 10 s took no longer",
  },
  {
    id: "lag",
    label: "Lag",
    value: (flow) => flow.lag_offsets,
    isNumber: true,
    hint: "Records of the source that are not copied yet",
  },
  { id: "topics", label: "Topics", value: (flow) => flow.topics, isNumber: true },
  {
    id: "groups",
    label: "Groups",
    value: (flow) => flow.groups?.total ?? null,
    isNumber: true,
    hint: "Consumer groups that the flow translates; ready of all",
  },
  {
    id: "tasks",
    label: "Tasks",
    value: (flow) => flow.tasks_running,
    isNumber: true,
    hint: "Running of planned",
  },
  {
    id: "heartbeat",
    label: "Heartbeat",
    value: (flow) => flow.heartbeat_age_ms,
    isNumber: true,
    hint: "Age of the newest heartbeat that came through the flow",
  },
];

/** What needs attention is first; equally urgent flows come by throughput. */
export const DEFAULT_SORT = "status";

/** The flows in the order of the sort, unknown values last; equal ones by throughput. */
export function sortedFlows(flows: readonly FlowRow[], sort: string): readonly FlowRow[] {
  const ordered = byThroughput(flows);
  const column = FLOW_COLUMNS.find(({ id }) => id === sort.replace(/^-/, ""));
  if (column === undefined) return ordered;
  const sign = sort.startsWith("-") ? -1 : 1;
  return [...ordered].sort((a, b) => {
    const [one, other] = [column.value(a), column.value(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return sign * (one < other ? -1 : Number(one > other));
  });
}

/** Highest throughput first. */
export function byThroughput(flows: readonly FlowRow[]): readonly FlowRow[] {
  return [...flows].sort((a, b) => (b.bytes_per_second ?? -1) - (a.bytes_per_second ?? -1));
}

/** The text sort must put the urgent first, and there are fewer than a hundred words. */
function urgencyText(status: string): string {
  return String(urgency(status)).padStart(2, "0");
}

/** Every word of the filter must be in one of the names: `us-east analytics`, `us-east->analytics`. */
export function matchesFilter(flow: FlowRow, q: string, status: string): boolean {
  if (status !== "" && flow.status !== status) return false;
  return matchesWords(`${flow.source} ${flow.target}`, q);
}
