import { IconPlus } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Suspense } from "react";
import { useMay } from "@/api/personal";
import { flowsQuery, missingPartsQuery } from "@/api/queries";
import { PartialNote } from "@/components/answer/Answered";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { LinkButton } from "@/components/form/LinkButton";
import { PageTitle } from "@/components/PageTitle";
import { useDeleted } from "@/features/orders/progress/deleted";
import { LiveChartCard } from "@/features/replications/LiveChartCard";
import { Tiles } from "@/features/replications/Tiles";
import { FlowsCard } from "@/features/replications/table/FlowsCard";
import { TopologyCard } from "@/features/replications/topology/TopologyCard";
import { lazyPart } from "@/lib/view/lazy-part";
import { useMembers } from "@/live/context";

const DeletedFlow = lazyPart(() => import("@/features/orders/progress/DeletedFlow"));
const FirstRun = lazyPart(
  () => import("@/features/replications/FirstRun"),
  ({ FirstRun }) => FirstRun,
);

export function OverviewPage() {
  const { data } = useQuery(flowsQuery);
  const { data: missing = [] } = useQuery(missingPartsQuery);
  const mayCreate = useMay("flows.change");
  const [deleted, forgetDeleted] = useDeleted();
  const live = useMembers();
  const isEmpty = data?.flows.length === 0 && (live === null || live.length === 0);
  return (
    <>
      <PageTitle title="Replications">
        {mayCreate && !isEmpty && (
          <div className="page-actions">
            <LinkButton to="/replications/new" leftSection={<IconPlus size={16} aria-hidden />}>
              New replication
            </LinkButton>
          </div>
        )}
        <p>Replication flows between the Kafka clusters of this service</p>
      </PageTitle>
      <PartialNote parts={missing} />
      {deleted !== null && (
        <Suspense fallback={null}>
          <DeletedFlow flow={deleted} onClose={forgetDeleted} />
        </Suspense>
      )}
      {isEmpty ? (
        <Suspense fallback={null}>
          <FirstRun />
        </Suspense>
      ) : (
        <>
          <ErrorBoundary what="The totals">
            <Tiles />
          </ErrorBoundary>
          <div className="overview-pictures">
            <TopologyCard />
            <LiveChartCard />
          </div>
          <FlowsCard />
        </>
      )}
    </>
  );
}
