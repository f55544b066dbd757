import { IconWorldShare } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { remoteServicesQuery } from "@/api/queries";
import type { RemoteServices } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { ColumnsNote } from "@/components/definition/ColumnsNote";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { PageTitle } from "@/components/PageTitle";
import { EmptyState } from "@/components/states";
import { ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { AdvertisingCard } from "@/features/services/AdvertisingCard";
import { SERVICE_COLUMNS } from "@/features/services/columns";

export function ServicesPage() {
  const answer = useQuery(remoteServicesQuery);
  const { data } = answer;
  const view = useTableView("services", SERVICE_COLUMNS, "target");
  return (
    <>
      <PageTitle title="Services">
        <div className="page-actions">
          <ColumnsNote of="services" columns={view.columns} />
          {data !== undefined && data.items.length > 0 && <ColumnMenu {...view} />}
          <ListCommands list="services" />
        </div>
        <p>Services that report the flows into other target clusters</p>
      </PageTitle>
      <section className="card" aria-label="Remote services">
        <ErrorBoundary what="The services">
          <Answered what="services" answer={answer} rows={2}>
            {(list) =>
              list.items.length > 0 ? (
                <ColumnTable
                  label="Table of services"
                  view={view}
                  rows={list.items}
                  rowId={({ cluster, id }) => `${cluster} ${id}`}
                />
              ) : (
                <NoService data={list} />
              )
            }
          </Answered>
        </ErrorBoundary>
      </section>
      {data !== undefined && <AdvertisingCard own={data.own} clusters={data.clusters} />}
    </>
  );
}

function NoService({ data }: { data: RemoteServices }) {
  const isWanted = data.clusters.some((cluster) => cluster.is_remote_target);
  return (
    <EmptyState icon={IconWorldShare} title={isWanted ? "No other service is known yet" : "No remote target"}>
      {isWanted ? (
        "A service is listed as soon as its advertisement in a remote target is read."
      ) : (
        <>
          Name the clusters whose flows other services report in{" "}
          <code>streams.replication.manager.service.remote.target.cluster</code>.
        </>
      )}
    </EmptyState>
  );
}
