/** The columns of the table of topics: their numbers are of this second, or a figure of the range. */
import type { FlowTopic, StatisticsField, TopicOrdering } from "@/api/types";
import { StatesNote } from "@/components/definition/StatesNote";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { latencyLabel, type Statistic } from "@/components/table/columns/statistic";
import { type OrderedColumn, orderingOf } from "@/components/table/ordering";
import { PARTITION_TONES } from "@/features/replication/states";
import {
  bytesPerSecond,
  count,
  milliseconds,
  type Quantity,
  records,
  recordsPerSecond,
  whyMissing,
} from "@/lib/format";
import { wordOf } from "@/lib/words";

type TopicMetrics = NonNullable<FlowTopic["metrics"]>;

/** Where a number comes from. */
interface Reading {
  metric: keyof TopicMetrics;
  live: "bytes_per_second" | "records_per_second" | "latency_p95_ms" | "lag_offsets";
  /** the figure that the column always shows; absent: that of the chosen statistic */
  figure?: StatisticsField;
}

export const READINGS = {
  throughput: { metric: "bytes_per_second", live: "bytes_per_second" },
  records: { metric: "records_per_second", live: "records_per_second" },
  latency: { metric: "replication_latency_ms", live: "latency_p95_ms" },
  p95: { metric: "replication_latency_ms", live: "latency_p95_ms", figure: "p95" },
  lag: { metric: "lag_offsets", live: "lag_offsets" },
} as const satisfies Readonly<Record<string, Reading>>;

/** The number of a topic; null is unknown, also from a service that has no statistics of topics. */
export function numberOf(topic: FlowTopic, reading: Reading, statistic: Statistic): number | null {
  if (statistic === "now") return topic[reading.live];
  return topic.metrics?.[reading.metric][reading.figure ?? statistic] ?? null;
}

/** Why a number of a topic is unknown; undefined: drivers report the rates of the busiest topics only. */
function whyUnknown(topic: FlowTopic, { metric }: Reading, statistic: Statistic): string | undefined {
  const rate = numberOf(topic, READINGS.records, statistic);
  return rate === null ? undefined : whyMissing(metric, rate);
}

type TopicColumn = OrderedColumn<FlowTopic, TopicOrdering>;

/** `name`: the cell that names a topic. */
export function topicColumns(
  statistic: Statistic,
  name: TopicColumn["cell"] = ({ topic }) => topic,
): readonly TopicColumn[] {
  const measured = (
    id: keyof typeof READINGS,
    label: string,
    as: (value: number) => Quantity,
    hint: string,
  ): TopicColumn => ({
    id,
    label,
    hint,
    value: (topic) => numberOf(topic, READINGS[id], statistic),
    cell: (topic) => (
      <Figure
        value={numberOf(topic, READINGS[id], statistic)}
        as={as}
        why={whyUnknown(topic, READINGS[id], statistic)}
      />
    ),
    isNumber: true,
    ordering: READINGS[id].live,
  });
  const followed = measured(
    "latency",
    latencyLabel(statistic),
    milliseconds,
    "Replication latency of the selected statistic; now, 95% of the records took this long or less",
  );
  const { ordering: _, ...unordered } = followed;
  // the service orders latencies by their 95th percentile alone
  const latency = statistic === "now" || statistic === "p95" ? followed : unordered;
  return [
    {
      id: "topic",
      label: "Topic",
      value: ({ topic }) => topic,
      cell: name,
      cellClass: "topic-cell",
      ordering: "topic",
    },
    {
      id: "state",
      label: "State",
      note: <StatesNote of="partition" />,
      hint: "The worst state of its partitions",
      value: ({ state }) => state,
      cell: ({ state }) =>
        state == null ? <Unknown /> : <StateBadge tone={PARTITION_TONES[state]} word={wordOf(state)} />,
      ordering: "state",
    },
    {
      id: "remote",
      label: "Remote topic",
      hint: "Its name on the target",
      value: (topic) => topic.remote_topic,
      cell: ({ remote_topic }) => (remote_topic === null ? <Unknown /> : <NameText name={remote_topic} />),
      cellClass: "topic-cell muted",
      ordering: "remote_topic",
    },
    {
      id: "partitions",
      label: "Partitions",
      value: (topic) => topic.partitions,
      cell: ({ partitions }) => <Figure value={partitions} as={count} />,
      isNumber: true,
      ordering: "partitions",
    },
    measured("throughput", "Throughput", bytesPerSecond, "Bytes copied per second, as stored in the source"),
    measured("records", "Records", recordsPerSecond, "Records copied per second"),
    latency,
    {
      ...measured(
        "p95",
        "Latency p95",
        milliseconds,
        "Replication latency: 95% of the records took this long or less",
      ),
      isExtra: true,
    },
    measured("lag", "Lag", records, "Records of the source that are not copied yet"),
  ];
}

/** The order of the whole list of topics. */
export function topicOrdering(sort: string, statistic: Statistic = "now"): TopicOrdering | undefined {
  return orderingOf(topicColumns(statistic), sort);
}
