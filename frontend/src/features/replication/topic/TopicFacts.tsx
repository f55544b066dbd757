import type { FlowTopic } from "@/api/types";
import { Fact } from "@/components/definition/Fact";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { Latencies } from "@/features/replication/Latencies";
import { numberOf, READINGS } from "@/features/replication/topics/columns";
import { bytesPerSecond, count, isMeasured, records, recordsPerSecond } from "@/lib/format";
import { ago, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** Idle partitions are reported once a minute; an older report has its age. */
const USUAL_AGE_MS = 90_000;

interface TopicFactsProps {
  topic: FlowTopic;
  isPast: boolean;
  /** time of the last latency that the charts have; null: they have none */
  measured_ms: number | null;
}

/** The numbers of a topic: of this moment, or of a range in the past, of which the number of partitions has no history. */
export function TopicFacts({ topic, isPast, measured_ms }: TopicFactsProps) {
  const statistic = isPast ? "avg" : "now";
  const now_ms = useNow();
  const age_ms = topic.updated_ms === null ? 0 : now_ms - topic.updated_ms;
  const old = !isPast && age_ms > USUAL_AGE_MS ? ago(age_ms) : undefined;
  const numbers = {
    throughput: numberOf(topic, READINGS.throughput, statistic),
    records: numberOf(topic, READINGS.records, statistic),
    lag: numberOf(topic, READINGS.lag, statistic),
  };
  const when = (value: number | null) => (isPast ? "average" : value === null ? undefined : old);
  const latency = topic.metrics?.replication_latency_ms;
  const p50_ms = isPast ? (latency?.p50 ?? null) : topic.latency_p50_ms;
  const p95_ms = numberOf(topic, READINGS.p95, statistic);
  return (
    <dl className="facts">
      <Fact name="Remote topic" term="remote_topic">
        {topic.remote_topic === null ? <Unknown /> : <NameText name={topic.remote_topic} />}
      </Fact>
      <Fact name="Partitions" when={isPast ? "now" : undefined}>
        <Figure value={topic.partitions} as={count} />
      </Fact>
      <Fact name="Throughput" when={when(numbers.throughput)} metric="bytes_per_second">
        <Figure value={numbers.throughput} as={bytesPerSecond} />
      </Fact>
      <Fact name="Records" when={when(numbers.records)} metric="records_per_second">
        <Figure value={numbers.records} as={recordsPerSecond} />
      </Fact>
      <Fact name="Latency p50, p95" when={p95_ms === null ? undefined : old} metric="replication_latency_ms">
        <Latencies p50_ms={p50_ms} p95_ms={p95_ms} />
        {!isPast && !isMeasured(p95_ms) && measured_ms !== null && (
          <span className="fact-note" title={isoTime(measured_ms)}>
            last record {ago(now_ms - measured_ms)}
          </span>
        )}
      </Fact>
      <Fact name="Lag" when={when(numbers.lag)} metric="lag_offsets">
        <Figure value={numbers.lag} as={records} />
      </Fact>
    </dl>
  );
}
