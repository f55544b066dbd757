import "@/components/form/form.css";
import "@/features/replication/record/record.css";
import { IconMapOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { ApiProblem } from "@/api/problem";
import { type TopicAddress, topicQuery } from "@/api/topic";
import type { FlowTopic } from "@/api/types";
import { useNowNote } from "@/components/answer/useNowNote";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { PageTitle } from "@/components/PageTitle";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { type ScopedOrders, useScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { TopicCharts } from "@/features/replication/charts/FlowCharts";
import { EventsTable } from "@/features/replication/events/EventsTable";
import { GapsTable } from "@/features/replication/events/GapsTable";
import { FlowCrumbs } from "@/features/replication/FlowCrumbs";
import { Latencies } from "@/features/replication/Latencies";
import { PartitionsNote, PartitionsTable } from "@/features/replication/PartitionsTable";
import { RecordForm } from "@/features/replication/record/RecordForm";
import { PARTITION_TONES, wordOf } from "@/features/replication/states";
import { TopicAudit } from "@/features/replication/topic/TopicAudit";
import { TopicCommands } from "@/features/replication/topic/TopicCommands";
import { TopicConfigs } from "@/features/replication/topic/TopicConfigs";
import { TopicGroups } from "@/features/replication/topic/TopicGroups";
import { bytesPerSecond, formatCount, records, recordsPerSecond } from "@/lib/format";

/** Everything about one topic of a flow, on both clusters. */
export function TopicPage() {
  const address = useParams({ from: "/replications/$source/$target/topics/$topic" });
  return <Topic key={`${address.source} ${address.target} ${address.topic}`} {...address} />;
}

function Topic(address: TopicAddress) {
  const { source, target, topic } = address;
  const orders = useScopedOrders({ source, target });
  const { data, error, refetch } = useQuery(topicQuery(address));
  const isMissing = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <FlowCrumbs {...address} />
      <PageTitle title={address.topic} heading={<NameText name={address.topic} />}>
        {data?.state != null && <StateBadge tone={PARTITION_TONES[data.state]} word={wordOf(data.state)} />}
        {data !== undefined && orders.menu({ topic, partition: null })}
      </PageTitle>
      {isMissing && <MissingTopic {...address} />}
      {!isMissing && data === undefined && (
        <section className="card">
          {error === null ? (
            <LoadingRows rows={2} label="Loading the topic" />
          ) : (
            <ErrorState what="The topic" error={error} onRetry={() => void refetch()} />
          )}
        </section>
      )}
      {!isMissing && data !== undefined && <TopicParts address={address} topic={data} orders={orders} />}
    </>
  );
}

interface TopicPartsProps {
  address: TopicAddress;
  topic: FlowTopic;
  orders: ScopedOrders;
}

function TopicParts({ address, topic, orders }: TopicPartsProps) {
  const { source, target } = address;
  const flow = { source, target };
  const now = useNowNote(undefined);
  return (
    <>
      <Facts topic={topic} isPast={now !== undefined} />
      <TopicCharts {...address} />
      <Card
        title="Partitions"
        note={now}
        tools={
          <>
            <PartitionsNote />
            <ListCommands list="partitions" flow={flow} part={address.topic} />
          </>
        }
      >
        {orders.panel}
        <PartitionsTable flow={flow} topic={address.topic} orders={orders} />
      </Card>
      <Card title="Record at an offset" note="with its copy, read on both clusters now">
        <RecordForm address={address} />
      </Card>
      <TopicConfigs {...address} />
      <TopicGroups {...address} />
      <Card
        title="Gaps"
        note="source records that are not copied"
        tools={<ListCommands list="gaps" flow={flow} filters={{ topic: address.topic }} />}
      >
        <GapsTable flow={flow} topic={address.topic} isOfTopic />
      </Card>
      <Card
        title="Events"
        note="kept for 30 days"
        tools={<ListCommands list="events" flow={flow} filters={{ topic: address.topic }} />}
      >
        <EventsTable flow={flow} topic={address.topic} isOfTopic />
      </Card>
      <TopicAudit {...address} />
      <TopicCommands address={address} topic={topic} />
    </>
  );
}

const count = (value: number) => ({ value: formatCount(value), unit: "" });

/** The numbers of this moment; beside a range in the past each says so. */
function Facts({ topic, isPast }: { topic: FlowTopic; isPast: boolean }) {
  const now = isPast && ", now";
  return (
    <dl className="facts">
      <div className="fact">
        <dt>Remote topic</dt>
        <dd>{topic.remote_topic === null ? <Unknown /> : <NameText name={topic.remote_topic} />}</dd>
      </div>
      <div className="fact">
        <dt>
          Partitions
          {now}
        </dt>
        <dd>
          <Figure value={topic.partitions} as={count} />
        </dd>
      </div>
      <div className="fact">
        <dt>
          Throughput
          {now}
        </dt>
        <dd>
          <Figure value={topic.bytes_per_second} as={bytesPerSecond} />
        </dd>
      </div>
      <div className="fact">
        <dt>
          Records
          {now}
        </dt>
        <dd>
          <Figure value={topic.records_per_second} as={recordsPerSecond} />
        </dd>
      </div>
      <div className="fact">
        <dt>
          Latency p50, p95
          {now}
        </dt>
        <dd>
          <Latencies p50_ms={topic.latency_p50_ms} p95_ms={topic.latency_p95_ms} />
        </dd>
      </div>
      <div className="fact">
        <dt>
          Lag
          {now}
        </dt>
        <dd>
          <Figure value={topic.lag_offsets} as={records} />
        </dd>
      </div>
    </dl>
  );
}

function MissingTopic({ source, target, topic }: TopicAddress) {
  return (
    <section className="card">
      <EmptyState icon={IconMapOff} title="Topic not found">
        The flow from {source} to {target} does not copy a topic named <code>{topic}</code>, and has not
        copied one. See{" "}
        <Link
          to="/replications/$source/$target"
          params={{ source, target }}
          search={(search) => ({ from: search.from, to: search.to, tab: "topics" as const })}
        >
          its topics
        </Link>
        .
      </EmptyState>
    </section>
  );
}
