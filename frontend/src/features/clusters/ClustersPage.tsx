import "@/components/form/form.css";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { clustersQuery, meQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Figure, Unknown } from "@/components/Figure";
import { LinkButton } from "@/components/form/LinkButton";
import { NameText } from "@/components/NameText";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";
import { CertificateBadge, daysUntil } from "@/features/clusters/CertificateBadge";
import { Reachability } from "@/features/clusters/Reachability";
import { formatCount } from "@/lib/format";
import { useNow } from "@/live/context";

const count = (value: number) => ({ value: formatCount(value), unit: "" });

const LABELS = stackedLabels([
  "Alias",
  "Reachability",
  "Brokers",
  "Kafka",
  "Certificate",
  "Location",
  "Owner",
  "Bootstrap servers",
]);

export function ClustersPage() {
  const answer = useQuery(clustersQuery);
  const { data: me } = useQuery(meQuery);
  const add = me?.permissions.includes("clusters.change") && (
    <LinkButton leftSection={<IconPlus size={16} aria-hidden />} to="/clusters/new">
      Add a cluster
    </LinkButton>
  );
  const isEmpty = answer.data?.items.length === 0;
  return (
    <>
      <PageTitle title="Clusters">
        <div className="page-actions">
          <ListCommands list="clusters" />
          {!isEmpty && add}
        </div>
        <p>Kafka clusters that flows read from and write to</p>
      </PageTitle>
      <section className="card" aria-label="Clusters">
        <Answered what="clusters" answer={answer}>
          {({ items }) =>
            items.length > 0 ? (
              <ClustersTable clusters={items} />
            ) : (
              <EmptyState icon={IconServer2} title="No cluster is defined yet" action={add}>
                A flow needs two clusters. Add them here, or import a properties file.
              </EmptyState>
            )
          }
        </Answered>
      </section>
    </>
  );
}

function ClustersTable({ clusters }: { clusters: readonly Cluster[] }) {
  const now_ms = useNow();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label="Table of clusters" tabIndex={0} style={LABELS}>
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Alias</th>
            <th scope="col">Reachability</th>
            <th scope="col" className="numeric">
              Brokers
            </th>
            <th scope="col">Kafka</th>
            <th scope="col">Certificate</th>
            <th scope="col">Location</th>
            <th scope="col">Owner</th>
            <th scope="col">Bootstrap servers</th>
          </tr>
        </thead>
        <tbody>
          {clusters.map((cluster) => (
            <tr key={cluster.alias}>
              <th scope="row" className="flow-cell">
                <Link to="/clusters/$alias" params={{ alias: cluster.alias }}>
                  {cluster.alias}
                </Link>
              </th>
              <td>
                <Reachability cluster={cluster} />
              </td>
              <td className="numeric">
                <Figure value={cluster.brokers} as={count} />
              </td>
              <td>{cluster.kafka_version ?? <Unknown why="not known yet" />}</td>
              <td className="nowrap">
                {cluster.certificate_until_ms === null ? (
                  <Unknown why="none presented" />
                ) : (
                  <CertificateBadge days_left={daysUntil(cluster.certificate_until_ms, now_ms)} />
                )}
              </td>
              <td>{cluster.location === "external" ? "External" : "Co-located"}</td>
              <td className="muted">{cluster.owner || <Unknown why="no owner" />}</td>
              <td className="topic-cell muted">
                <NameText name={cluster.bootstrap.join(", ")} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
