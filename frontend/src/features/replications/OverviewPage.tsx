import { PageTitle } from "@/components/PageTitle";
import { FlowsCard } from "@/features/replications/FlowsCard";
import { LiveChartCard } from "@/features/replications/LiveChartCard";
import { PartialNote } from "@/features/replications/PartialNote";
import { Tiles } from "@/features/replications/Tiles";
import { TopologyCard } from "@/features/replications/topology/TopologyCard";

export function OverviewPage() {
  return (
    <>
      <PageTitle title="Replications">
        <p>Replication flows between the Kafka clusters of this service</p>
      </PageTitle>
      <PartialNote />
      <Tiles />
      <div className="overview-pictures">
        <TopologyCard />
        <LiveChartCard />
      </div>
      <FlowsCard />
    </>
  );
}
