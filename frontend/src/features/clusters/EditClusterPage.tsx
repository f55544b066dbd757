import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { MayNot } from "@/components/form/MayNot";
import { Breadcrumbs, PageTitle } from "@/components/PageTitle";
import { ErrorState, LoadingRows } from "@/components/states";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";
import { clusterQuery } from "@/features/clusters/requests";

export function EditClusterPage() {
  const { alias } = useParams({ from: "/clusters/$alias/edit" });
  const { data, error, refetch } = useQuery(clusterQuery(alias));
  const mayChange = useMay("clusters.change", true);
  return (
    <>
      <Breadcrumbs>
        {[
          <Link key="list" to="/clusters">
            Clusters
          </Link>,
          <Link key="cluster" to="/clusters/$alias" params={{ alias }}>
            {alias}
          </Link>,
          "Edit",
        ]}
      </Breadcrumbs>
      <PageTitle title={`Edit ${alias}`}>
        <p>A changed connection reaches the drivers within a second or two; slots of its flows restart.</p>
      </PageTitle>
      {data === undefined && error === null && <LoadingRows rows={5} label="Loading the cluster" />}
      {data === undefined && error !== null && (
        <ErrorState what="The cluster" error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && mayChange && <ClusterEditor key={alias} stored={data} />}
      {data !== undefined && !mayChange && <MayNot act="change clusters" needs="admin" />}
    </>
  );
}
