import "@/components/form/form.css";
import "@/features/replication/record/record.css";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { ApiProblem } from "@/api/problem";
import { seriesQuery } from "@/api/queries";
import { type TopicAddress, topicQuery } from "@/api/topic";
import type { FlowTopic } from "@/api/types";
import { useNowNote } from "@/components/answer/useNowNote";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { StatesNote } from "@/components/definition/StatesNote";
import { useServiceOf } from "@/components/flow/service";
import { NameText } from "@/components/NameText";
import { PageTitle } from "@/components/PageTitle";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { type ScopedOrders, useScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { TopicCharts } from "@/features/replication/charts/FlowCharts";
import { EventsTable, EventsTools, useEventsView } from "@/features/replication/events/EventsTable";
import { GapsTable, GapsTools, useGapsView } from "@/features/replication/events/GapsTable";
import { FlowCrumbs } from "@/features/replication/FlowCrumbs";
import { PartitionsTable, usePartitionsView } from "@/features/replication/PartitionsTable";
import { RecordForm } from "@/features/replication/record/RecordForm";
import { PARTITION_TONES } from "@/features/replication/states";
import { MissingTopic } from "@/features/replication/topic/MissingTopic";
import { TopicAudit } from "@/features/replication/topic/TopicAudit";
import { TopicCommands } from "@/features/replication/topic/TopicCommands";
import { TopicConfigs } from "@/features/replication/topic/TopicConfigs";
import { TopicFacts } from "@/features/replication/topic/TopicFacts";
import { TopicGroups } from "@/features/replication/topic/TopicGroups";
import { newestSince } from "@/lib/series";
import { wordOf } from "@/lib/words";

/** Everything about one topic of a flow, on both clusters. */
export function TopicPage() {
  const address = useParams({ from: "/replications/$source/$target/topics/$topic" });
  return <Topic key={`${address.source} ${address.target} ${address.topic}`} {...address} />;
}

function Topic(address: TopicAddress) {
  const { source, target, topic } = address;
  const orders = useScopedOrders({ source, target });
  const range = useTimeRange();
  const isPast = range.to_ms !== null;
  const { data, error, refetch } = useQuery(topicQuery(address, isPast ? range : undefined));
  const isMissing = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <FlowCrumbs {...address} />
      <PageTitle title={address.topic} heading={<NameText name={address.topic} />}>
        {data?.state != null && (
          <>
            <StateBadge
              tone={PARTITION_TONES[data.state]}
              word={wordOf(data.state) + (isPast ? ", now" : "")}
            />
            <StatesNote of="partition" state={data.state} />
          </>
        )}
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
  const partitions = usePartitionsView(address.topic, orders);
  const isElsewhere = useServiceOf(flow) !== null;
  return (
    <>
      <TopicFacts topic={topic} isPast={now !== undefined} measured_ms={useLastLatency(address)} />
      <TopicCharts {...address} />
      <Card
        title="Partitions"
        note={now}
        tools={
          <>
            <ColumnTools view={partitions} />
            <ListCommands list="partitions" flow={flow} part={address.topic} />
          </>
        }
      >
        {orders.panel}
        <PartitionsTable flow={flow} topic={address.topic} view={partitions} />
      </Card>
      {isElsewhere || <TopicPartsHere {...address} />}
      <TopicCommands address={address} topic={topic} />
    </>
  );
}

/** The parts that only the service of the flow has. */
function TopicPartsHere(address: TopicAddress) {
  const flow = { source: address.source, target: address.target };
  const gaps = useGapsView(true);
  const events = useEventsView(true);
  return (
    <>
      <Card title="Record at an offset" note="with its copy, read on both clusters now">
        <RecordForm address={address} />
      </Card>
      <TopicConfigs {...address} />
      <TopicGroups {...address} />
      <Card
        title="Gaps"
        note="source records that are not copied"
        tools={<GapsTools flow={flow} topic={address.topic} view={gaps} />}
      >
        <GapsTable flow={flow} topic={address.topic} view={gaps} />
      </Card>
      <Card
        title="Events"
        note="kept for 30 days"
        tools={<EventsTools flow={flow} topic={address.topic} view={events} />}
      >
        <EventsTable flow={flow} topic={address.topic} view={events} />
      </Card>
      <TopicAudit {...address} />
    </>
  );
}

/** When the last latency of the range was measured; null: the range has none. The chart of latencies reads the same. */
function useLastLatency({ topic, ...flow }: TopicAddress): number | null {
  const { data } = useQuery(seriesQuery(flow, "replication_latency_ms", useTimeRange(), { topic }));
  if (data === undefined) return null;
  const newest = newestSince(data.line("p95"), 0);
  return newest === null ? null : newest.time_ms + data.step_ms / 2;
}
