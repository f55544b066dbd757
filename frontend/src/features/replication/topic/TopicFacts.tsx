import type { FlowTopic } from "@/api/types";
import { Fact } from "@/components/definition/Fact";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { Latencies } from "@/features/replication/Latencies";
import { numberOf, READINGS } from "@/features/replication/topics/columns";
import { bytesPerSecond, count, records, recordsPerSecond } from "@/lib/format";

/** The numbers of a topic: of this moment, or of a range in the past, of which the number of partitions has no history. */
export function TopicFacts({ topic, isPast }: { topic: FlowTopic; isPast: boolean }) {
  const statistic = isPast ? "avg" : "now";
  const when = isPast ? "average" : undefined;
  const latency = topic.metrics?.replication_latency_ms;
  return (
    <dl className="facts">
      <Fact name="Remote topic" term="remote_topic">
        {topic.remote_topic === null ? <Unknown /> : <NameText name={topic.remote_topic} />}
      </Fact>
      <Fact name="Partitions" when={isPast ? "now" : undefined}>
        <Figure value={topic.partitions} as={count} />
      </Fact>
      <Fact name="Throughput" when={when} metric="bytes_per_second">
        <Figure value={numberOf(topic, READINGS.throughput, statistic)} as={bytesPerSecond} />
      </Fact>
      <Fact name="Records" when={when} metric="records_per_second">
        <Figure value={numberOf(topic, READINGS.records, statistic)} as={recordsPerSecond} />
      </Fact>
      <Fact name="Latency p50, p95" metric="replication_latency_ms">
        <Latencies
          p50_ms={isPast ? (latency?.p50 ?? null) : topic.latency_p50_ms}
          p95_ms={numberOf(topic, READINGS.p95, statistic)}
        />
      </Fact>
      <Fact name="Lag" when={when} metric="lag_offsets">
        <Figure value={numberOf(topic, READINGS.lag, statistic)} as={records} />
      </Fact>
    </dl>
  );
}
