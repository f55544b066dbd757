import { PageTitle } from "@/components/PageTitle";
import { ClusterEditor } from "@/features/clusters/ClusterEditor";

export function NewClusterPage() {
  return (
    <>
      <PageTitle title="New cluster">
        <p>A Kafka cluster that flows read from or write to. Nothing is copied by adding it.</p>
      </PageTitle>
      <ClusterEditor />
    </>
  );
}
