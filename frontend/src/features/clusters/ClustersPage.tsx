import "@/components/form/form.css";
import "@/features/clusters/clusters.css";
import { IconPlus, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { clustersQuery } from "@/api/queries";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { LinkButton } from "@/components/form/LinkButton";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";
import { ColumnTable } from "@/components/table/ColumnTable";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { useTableView } from "@/components/table/useTableView";
import { CLUSTER_COLUMNS, matchesCluster } from "@/features/clusters/columns";

export function ClustersPage() {
  const answer = useQuery(clustersQuery);
  const mayAdd = useMay("clusters.change");
  const { q = "" } = useSearch({ from: "/clusters" });
  const navigate = useNavigate();
  const view = useTableView("clusters", CLUSTER_COLUMNS, "alias");
  const filter = (text: string | undefined) =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, q: text }), replace: true });
  const add = mayAdd && (
    <LinkButton leftSection={<IconPlus size={16} aria-hidden />} to="/clusters/new">
      Add a cluster
    </LinkButton>
  );
  const isEmpty = answer.data?.items.length === 0;
  return (
    <>
      <PageTitle title="Clusters">
        <div className="page-actions">
          {!isEmpty && (
            <>
              <ListFilter label="Alias, owner or label" value={q} onChange={filter} />
              <ColumnTools view={view} />
            </>
          )}
          <ListCommands list="clusters" />
          {!isEmpty && add}
        </div>
        <p>Kafka clusters that flows read from and write to</p>
      </PageTitle>
      <section className="card" aria-label="Clusters">
        <ErrorBoundary what="The clusters">
          <Answered what="clusters" answer={answer}>
            {({ items }) => {
              if (items.length === 0) {
                return (
                  <EmptyState icon={IconServer2} title="No cluster is defined yet" action={add}>
                    A flow needs two clusters. Add them here, or import a properties file.
                  </EmptyState>
                );
              }
              const shown = items.filter((cluster) => matchesCluster(cluster, q));
              return shown.length === 0 ? (
                <NoMatch title="No cluster matches the filter" onClear={() => filter(undefined)} />
              ) : (
                <ColumnTable
                  label="Table of clusters"
                  view={view}
                  rows={shown}
                  rowId={({ alias }) => alias}
                />
              );
            }}
          </Answered>
        </ErrorBoundary>
      </section>
    </>
  );
}
