import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { MayNot } from "@/components/form/MayNot";
import { Breadcrumbs, PageTitle } from "@/components/PageTitle";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";

export function NewClusterPage() {
  const mayChange = useMay("clusters.change", true);
  return (
    <>
      <Breadcrumbs>
        {[
          <Link key="list" to="/clusters">
            Clusters
          </Link>,
          "New cluster",
        ]}
      </Breadcrumbs>
      <PageTitle title="New cluster">
        <p>A Kafka cluster that flows read from or write to. Nothing is copied by adding it.</p>
      </PageTitle>
      {mayChange ? <ClusterEditor /> : <MayNot act="change clusters" needs="admin" />}
    </>
  );
}
