import { IconMapOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { ApiProblem } from "@/api/problem";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { Flow } from "@/api/types";
import { Card } from "@/components/Card";
import { type ChartFlow, FlowChart } from "@/components/chart/FlowChart";
import { lookOf } from "@/components/chart/look";
import { type ChartMetric, LAG, LATENCY, RECORDS, THROUGHPUT } from "@/components/chart/metrics";
import { useFlowSeries } from "@/components/chart/useFlowSeries";
import { Figure } from "@/components/Figure";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { AuditCard } from "@/features/audits/AuditCard";
import { ControlCard } from "@/features/replication/ControlCard";
import { EventsCard } from "@/features/replication/EventsCard";
import { FlowHeader } from "@/features/replication/FlowHeader";
import { FlowTabs } from "@/features/replication/FlowTabs";
import { TasksCard } from "@/features/replication/TasksCard";
import { TopicsCard } from "@/features/replication/TopicsCard";
import { useFlow } from "@/live/context";
import { flowKey } from "@/live/flow-row";

const GroupsCard = lazy(() => import("@/features/groups/GroupsCard"));
const FlowConfiguration = lazy(() => import("@/features/configuration/effective/FlowConfiguration"));
const CHARTS: readonly ChartMetric[] = [THROUGHPUT, RECORDS, LATENCY, LAG];
const CHART_HEIGHT = 190;

export function FlowPage() {
  const { source, target } = useParams({ from: "/replications/$source/$target" });
  const { tab } = useSearch({ from: "/replications/$source/$target" });
  const { data, error, refetch } = useQuery(flowQuery({ source, target }));
  const isMissing = error instanceof ApiProblem && error.status === 404;
  if (isMissing) return <MissingFlow source={source} target={target} />;
  return (
    <>
      <FlowHeader source={source} target={target} detail={data} />
      {error !== null && data === undefined && (
        <section className="card">
          <ErrorState what="The details of the flow" error={error} onRetry={() => void refetch()} />
        </section>
      )}
      <FlowTabs source={source} target={target} />
      {tab === "topics" && <TopicsCard key={flowKey(source, target)} source={source} target={target} />}
      {tab === "tasks" && <TasksCard key={flowKey(source, target)} source={source} target={target} />}
      {tab === "events" && <EventsCard key={flowKey(source, target)} source={source} target={target} />}
      {tab === "groups" && (
        <Suspense fallback={<TabFallback title="Consumer groups" />}>
          <GroupsCard key={flowKey(source, target)} source={source} target={target} />
        </Suspense>
      )}
      {tab === "configuration" && (
        <Suspense fallback={<TabFallback title="Configuration" />}>
          <FlowConfiguration key={flowKey(source, target)} source={source} target={target} />
        </Suspense>
      )}
      {tab === undefined && <FlowOverview source={source} target={target} detail={data} />}
    </>
  );
}

/** Charts, orders and audits. */
function FlowOverview({ source, target, detail }: FlowAddress & { detail: Flow | undefined }) {
  return (
    <>
      <div className="charts">
        {CHARTS.map((metric, place) => (
          <MetricCard key={metric.id} source={source} target={target} metric={metric} place={place} />
        ))}
      </div>
      <ControlCard
        key={`control ${flowKey(source, target)}`}
        source={source}
        target={target}
        status={detail?.status}
        limit={detail?.limit}
      />
      <AuditCard source={source} target={target} provenUntilMs={detail?.proven_until_ms ?? null} />
    </>
  );
}

function TabFallback({ title }: { title: string }) {
  return (
    <Card title={title}>
      <LoadingRows rows={3} label={`Loading: ${title.toLowerCase()}`} />
    </Card>
  );
}

interface MetricCardProps {
  source: string;
  target: string;
  metric: ChartMetric;
  place: number;
}

/** The colours of the overview's tiles, so that a metric has the same colour on both pages. */
const METRIC_LOOKS = [0, 2, 1, 3];

function MetricCard({ source, target, metric, place }: MetricCardProps) {
  const range = useTimeRange();
  const key = flowKey(source, target);
  const flows: readonly ChartFlow[] = [{ key, source, target, ...lookOf(METRIC_LOOKS[place] ?? 0) }];
  const series = useFlowSeries(flows, metric, range);
  const now = useFlow(key)?.[metric.live] ?? null;
  const label = `${metric.label} from ${source} to ${target}, ${range.label.toLowerCase()}: ${
    now === null ? "not measured now" : `${metric.format(now)} now`
  }`;
  return (
    <Card
      title={metric.label}
      note={metric.note}
      tools={
        <span className="chart-now">
          <Figure value={now} as={metric.quantity} />
        </span>
      }
    >
      <FlowChart flows={flows} metric={metric} series={series} height={CHART_HEIGHT} label={label} />
    </Card>
  );
}

function MissingFlow({ source, target }: { source: string; target: string }) {
  return (
    <>
      <PageTitle title={`${source} → ${target}`} />
      <section className="card">
        <EmptyState icon={IconMapOff} title="Replication flow not found">
          No flow from {source} to {target} is defined. See <Link to="/replications">all flows</Link>.
        </EmptyState>
      </section>
    </>
  );
}
