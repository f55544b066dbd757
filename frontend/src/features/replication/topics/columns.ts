/** The columns of the table of topics: their numbers are of this second, or a figure of the range. Pure. */
import type { ListedTopic, StatisticsField, TopicOrdering } from "@/api/types";
import type { Column } from "@/components/DataTable";
import type { Statistic } from "@/components/table/statistic";

type TopicMetrics = NonNullable<ListedTopic["metrics"]>;

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
  p95: { metric: "replication_latency_ms", live: "latency_p95_ms", figure: "p95" },
  lag: { metric: "lag_offsets", live: "lag_offsets" },
} as const satisfies Readonly<Record<string, Reading>>;

/** The number of a topic; null is unknown, also from a service that has no statistics of topics. */
export function numberOf(topic: ListedTopic, reading: Reading, statistic: Statistic): number | null {
  if (statistic === "now") return topic[reading.live];
  return topic.metrics?.[reading.metric][reading.figure ?? statistic] ?? null;
}

export function topicColumns(statistic: Statistic): readonly Column<ListedTopic>[] {
  const measured = (id: keyof typeof READINGS, label: string, hint: string): Column<ListedTopic> => ({
    id,
    label,
    hint,
    value: (topic) => numberOf(topic, READINGS[id], statistic),
    isNumber: true,
  });
  return [
    { id: "topic", label: "Topic", value: (topic) => topic.topic },
    {
      id: "remote",
      label: "Remote topic",
      hint: "Its name on the target",
      value: (topic) => topic.remote_topic,
    },
    { id: "partitions", label: "Partitions", value: (topic) => topic.partitions, isNumber: true },
    measured("throughput", "Throughput", "Bytes copied per second, as stored in the source"),
    measured("records", "Records", "Records copied per second"),
    measured("p95", "Latency p95", "Replication latency: 95 of 100 records took no longer"),
    measured("lag", "Lag", "Records of the source that are not copied yet"),
  ];
}

/** The fields by which the service can order topics; the others only order what is shown. */
const ORDERINGS: Readonly<Record<string, Exclude<TopicOrdering, `-${string}`>>> = {
  topic: "topic",
  throughput: "bytes_per_second",
  records: "records_per_second",
  p95: "latency_p95_ms",
  lag: "lag_offsets",
};

/** The columns by which the service can order topics. */
export const ORDERED = Object.keys(ORDERINGS);

/** The order of the whole list; numbers are ordered as they are now. */
export function orderingOf(sort: string): TopicOrdering | undefined {
  const field = ORDERINGS[sort.replace(/^-/, "")];
  if (field === undefined) return undefined;
  return sort.startsWith("-") ? `-${field}` : field;
}
