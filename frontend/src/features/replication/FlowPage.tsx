import { IconMapOff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams, useSearch } from "@tanstack/react-router";
import { Suspense } from "react";
import { ApiProblem } from "@/api/problem";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { Flow } from "@/api/types";
import { StaleNote } from "@/components/answer/Answered";
import { Card } from "@/components/Card";
import { FlowName } from "@/components/FlowName";
import { isTabHere, useServiceOf } from "@/components/flow/service";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { AuditCard } from "@/features/audits/AuditCard";
import { FlowCharts } from "@/features/replication/charts/FlowCharts";
import { ControlCard } from "@/features/replication/control/ControlCard";
import { EventsCard } from "@/features/replication/EventsCard";
import { FlowCrumbs } from "@/features/replication/FlowCrumbs";
import { FlowHeader } from "@/features/replication/FlowHeader";
import { FlowTabs } from "@/features/replication/FlowTabs";
import { TasksCard } from "@/features/replication/TasksCard";
import { TopicsCard } from "@/features/replication/TopicsCard";
import { lazyPart } from "@/lib/view/lazy-part";
import { useFlowStatus } from "@/live/context";
import { flowKey } from "@/live/flow-row";

const GroupsCard = lazyPart(() => import("@/features/groups/GroupsCard"));
const OrdersCard = lazyPart(() => import("@/features/orders/list/OrdersCard"));
const FlowConfiguration = lazyPart(() => import("@/features/configuration/effective/FlowConfiguration"));

export function FlowPage() {
  const { source, target } = useParams({ from: "/replications/$source/$target" });
  const search = useSearch({ from: "/replications/$source/$target" });
  const service = useServiceOf({ source, target });
  const tab = isTabHere(service, search.tab) ? search.tab : undefined;
  const { data, error, refetch, dataUpdatedAt } = useQuery(flowQuery({ source, target }));
  const isMissing = error instanceof ApiProblem && error.status === 404;
  const isLive = useFlowStatus(flowKey(source, target)) !== undefined;
  if (isMissing) return <MissingFlow source={source} target={target} />;
  if (data === undefined && error === null && !isLive) return <UnknownFlow source={source} target={target} />;
  return (
    <>
      <FlowHeader source={source} target={target} detail={data} />
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
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
      {tab === "orders" && (
        <Suspense fallback={<TabFallback title="Orders" />}>
          <OrdersCard key={flowKey(source, target)} source={source} target={target} />
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

/** Charts, orders and audits; of a flow of another service only charts. */
function FlowOverview({ source, target, detail }: FlowAddress & { detail: Flow | undefined }) {
  const status = useFlowStatus(flowKey(source, target));
  const isElsewhere = useServiceOf({ source, target }) !== null;
  if (isElsewhere) return <FlowCharts source={source} target={target} />;
  return (
    <>
      <FlowCharts source={source} target={target} />
      <ControlCard
        key={`control ${flowKey(source, target)}`}
        source={source}
        target={target}
        status={detail?.status ?? status}
        ordered={detail?.ordered_state}
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

/** Nothing of a flow is asked for before it is known to exist. */
function UnknownFlow({ source, target }: FlowAddress) {
  return (
    <>
      <FlowCrumbs source={source} target={target} />
      <PageTitle title={`${source} → ${target}`} heading={<FlowName source={source} target={target} />} />
      <section className="card" aria-label="Flow">
        <LoadingRows rows={5} label="Loading the flow" />
      </section>
    </>
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
