/** The charts of a flow's overview: which lines each draws and where their points come from. */
import type { StoredFigure } from "@/api/stored-series";
import type { MetricName } from "@/api/types";
import { LAG_TIME } from "@/lib/units";
import type { RingMetric } from "@/live/rings";

export interface LineDefinition {
  key: string;
  label: string;
  metric: MetricName;
  figure: StoredFigure;
  /** the live column that continues the stored points; absent: there is none */
  live?: RingMetric;
  /** its place among the looks of lines */
  look: number;
}

export interface ChartDefinition {
  id: string;
  title: string;
  note: string;
  /** the first one is the subject: its value is in the heading, and a comparison is of it */
  lines: readonly [LineDefinition, ...LineDefinition[]];
  /** one slow record would flatten everything else on a linear scale */
  canBeLogarithmic?: boolean;
  /** the time between two reports of something that is not measured all the time */
  every_ms?: number;
}

const MINUTE_MS = 60_000;

// The first lines have the colours of the overview's tiles.
export const CHARTS: readonly ChartDefinition[] = [
  {
    id: "throughput",
    title: "Throughput",
    note: "copied, and sent in compressed form",
    lines: [
      {
        key: "copied",
        label: "Copied",
        metric: "bytes_per_second",
        figure: "avg",
        live: "bytes_per_second",
        look: 0,
      },
      { key: "sent", label: "Sent", metric: "wire_bytes_per_second", figure: "avg", look: 5 },
    ],
  },
  {
    id: "records",
    title: "Records",
    note: "records copied",
    lines: [
      {
        key: "records",
        label: "Records",
        metric: "records_per_second",
        figure: "avg",
        live: "records_per_second",
        look: 2,
      },
    ],
  },
  {
    id: "latency",
    title: "Replication latency",
    note: "from a record's time to its copy",
    canBeLogarithmic: true,
    lines: [
      {
        key: "p95",
        label: "p95",
        metric: "replication_latency_ms",
        figure: "p95",
        live: "latency_p95_ms",
        look: 1,
      },
      {
        key: "p50",
        label: "p50",
        metric: "replication_latency_ms",
        figure: "p50",
        live: "latency_p50_ms",
        look: 2,
      },
      {
        key: "p99",
        label: "p99",
        metric: "replication_latency_ms",
        figure: "p99",
        live: "latency_p99_ms",
        look: 3,
      },
      {
        key: "max",
        label: "Slowest",
        metric: "replication_latency_ms",
        figure: "max",
        live: "latency_max_ms",
        look: 5,
      },
    ],
  },
  {
    id: "lag",
    title: "Lag",
    note: "records behind the source",
    lines: [
      {
        key: "lag",
        label: "Lag",
        metric: "lag_offsets",
        figure: "max",
        live: "lag_offsets",
        look: 3,
      },
    ],
  },
  {
    id: "lag-time",
    title: "Lag in time",
    note: LAG_TIME,
    canBeLogarithmic: true,
    lines: [{ key: "lag-time", label: "Lag in time", metric: "lag_ms", figure: "max", look: 4 }],
  },
  {
    id: "checkpoint",
    title: "Checkpoint latency",
    note: "from a group's commit to its checkpoint",
    canBeLogarithmic: true,
    every_ms: MINUTE_MS,
    lines: [
      { key: "p95", label: "p95", metric: "checkpoint_latency_ms", figure: "p95", look: 1 },
      { key: "max", label: "Slowest", metric: "checkpoint_latency_ms", figure: "max", look: 5 },
    ],
  },
  {
    id: "heartbeat",
    title: "Heartbeat age",
    note: "oldest in each step",
    lines: [{ key: "age", label: "Heartbeat age", metric: "heartbeat_age_ms", figure: "max", look: 2 }],
  },
  {
    id: "throttled",
    title: "Throttled",
    note: "share of the time that partitions were held back",
    lines: [{ key: "throttled", label: "Throttled", metric: "throttled_ratio", figure: "avg", look: 5 }],
  },
];

const TOPIC_CHARTS_OF = ["throughput", "records", "latency", "lag", "lag-time"];

/** The charts of one topic: only flows have live values. */
export const TOPIC_CHARTS: readonly ChartDefinition[] = CHARTS.filter(({ id }) =>
  TOPIC_CHARTS_OF.includes(id),
).map((chart) => {
  const [first, ...others] = chart.lines.map(({ live: _, ...line }): LineDefinition => line);
  return { ...chart, lines: [first as LineDefinition, ...others] };
});
