import { IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { clustersQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { Figure } from "@/components/Figure";
import { PageTitle } from "@/components/PageTitle";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { formatCount } from "@/lib/format";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

export function ClustersPage() {
  const { data, error, refetch } = useQuery(clustersQuery);
  return (
    <>
      <PageTitle title="Clusters">
        <p>Kafka clusters that this service knows</p>
      </PageTitle>
      <section className="card" aria-label="Clusters">
        {data === undefined && error === null && <LoadingRows rows={3} label="Loading the clusters" />}
        {data === undefined && error !== null && (
          <ErrorState what="The clusters" error={error} onRetry={() => void refetch()} />
        )}
        {data?.items.length === 0 && (
          <EmptyState icon={IconServer2} title="No cluster is defined yet">
            Clusters come from the properties file that the service was started with.
          </EmptyState>
        )}
        {data !== undefined && data.items.length > 0 && <ClustersTable clusters={data.items} />}
      </section>
    </>
  );
}

function ClustersTable({ clusters }: { clusters: readonly Cluster[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label="Table of clusters" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Alias</th>
            <th scope="col">Reachability</th>
            <th scope="col" className="numeric">
              Brokers
            </th>
            <th scope="col">Bootstrap servers</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((cluster) => (
            <tr key={cluster.alias}>
              <th scope="row">{cluster.alias}</th>
              <td>
                <Reachability cluster={cluster} />
              </td>
              <td className="numeric">
                <Figure value={cluster.brokers} as={count} />
              </td>
              <td className="topic-cell muted">{cluster.bootstrap.join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Reachability({ cluster }: { cluster: Cluster }) {
  if (cluster.reachable === null) return <StateBadge tone="idle" word="Not asked yet" />;
  if (cluster.reachable) return <StateBadge tone="ok" word="Reachable" />;
  return (
    <>
      <StateBadge tone="bad" word="Unreachable" />
      {cluster.error && <span className="reason">{cluster.error}</span>}
    </>
  );
}
