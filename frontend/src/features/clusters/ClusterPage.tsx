import "@/components/form/form.css";
import "@/features/clusters/clusters.css";
import { Button } from "@mantine/core";
import { IconPencil, IconPlugConnected, IconServer2, IconTrash } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { useMay } from "@/api/personal";
import { ApiProblem } from "@/api/problem";
import { sameClusterDelete, sameClusterTest } from "@/components/by-hand/actions";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { ConfirmByName } from "@/components/form/ConfirmByName";
import { FormProblem } from "@/components/form/FormProblem";
import { LinkButton } from "@/components/form/LinkButton";
import { Breadcrumbs, PageTitle } from "@/components/PageTitle";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { ClusterFacts, ClusterSettings } from "@/features/clusters/ClusterFacts";
import { ConnectionCard } from "@/features/clusters/ConnectionCard";
import { DiscoveredCard, FlowsOfCluster } from "@/features/clusters/FlowsOfCluster";
import { InternalTopics } from "@/features/clusters/InternalTopics";
import { Reachability } from "@/features/clusters/Reachability";
import {
  clusterQuery,
  deleteCluster,
  flowsOfQuery,
  lastTestQuery,
  testCluster,
} from "@/features/clusters/requests";
import { plural } from "@/lib/format";

export function ClusterPage() {
  const { alias } = useParams({ from: "/clusters/$alias" });
  const { data, error, refetch } = useQuery(clusterQuery(alias));
  const [isDeleting, setDeleting] = useState(false);
  const queries = useQueryClient();
  const { data: report } = useQuery(lastTestQuery(alias));
  const test = useMutation({
    mutationFn: () => testCluster(alias),
    onSuccess: (report) => queries.setQueryData(lastTestQuery(alias).queryKey, report),
  });
  const mayChange = useMay("clusters.change");
  const mayTest = useMay("flows.act");
  const isGone = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <Breadcrumbs>
        {[
          <Link key="list" to="/clusters">
            Clusters
          </Link>,
          alias,
        ]}
      </Breadcrumbs>
      <PageTitle title={alias}>
        {data !== undefined && <Reachability cluster={data.data} />}
        {data !== undefined && (
          <div className="page-actions">
            {mayTest && (
              <>
                <Button
                  variant="default"
                  leftSection={<IconPlugConnected size={16} aria-hidden />}
                  loading={test.isPending}
                  onClick={() => test.mutate()}
                >
                  Test the connection
                </Button>
                <CommandsButton label="Command and request of the test" size={36}>
                  <CallsToCopy same={sameClusterTest(alias)} />
                </CommandsButton>
              </>
            )}
            {mayChange && (
              <>
                <LinkButton
                  variant="default"
                  leftSection={<IconPencil size={16} aria-hidden />}
                  to="/clusters/$alias/edit"
                  params={{ alias }}
                >
                  Edit
                </LinkButton>
                <Button
                  variant="default"
                  leftSection={<IconTrash size={16} aria-hidden />}
                  aria-expanded={isDeleting}
                  onClick={() => setDeleting(true)}
                >
                  Delete
                </Button>
              </>
            )}
          </div>
        )}
      </PageTitle>
      {isGone && (
        <section className="card" aria-label="Cluster">
          <EmptyState
            icon={IconServer2}
            title={`There is no cluster ${alias}`}
            action={
              <LinkButton size="xs" variant="default" to="/clusters">
                Show all clusters
              </LinkButton>
            }
          >
            It was deleted, or its alias is spelled differently.
          </EmptyState>
        </section>
      )}
      {data === undefined && error === null && <LoadingRows rows={4} label="Loading the cluster" />}
      {data === undefined && error !== null && !isGone && (
        <ErrorState what="The cluster" error={error} onRetry={() => void refetch()} />
      )}
      {isDeleting && data !== undefined && (
        <DeleteCluster alias={alias} etag={data.etag} onClose={() => setDeleting(false)} />
      )}
      <FormProblem error={test.error} />
      {data !== undefined && (
        <>
          <ClusterFacts cluster={data.data} report={report} />
          {report !== undefined && <ConnectionCard report={report} />}
          <div className="cluster-columns">
            <FlowsOfCluster side="target" alias={alias} />
            <FlowsOfCluster side="source" alias={alias} />
            <ClusterSettings cluster={data.data} />
            <InternalTopics alias={alias} />
            <DiscoveredCard alias={alias} />
          </div>
        </>
      )}
    </>
  );
}

function DeleteCluster({
  alias,
  etag,
  onClose,
}: {
  alias: string;
  etag: string | null;
  onClose: () => void;
}) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const order = useMutation({
    mutationFn: () => deleteCluster(alias, etag),
    onSuccess: async () => {
      await navigate({ to: "/clusters" });
      queries.removeQueries({ queryKey: ["cluster", alias] });
      await queries.invalidateQueries({ queryKey: ["clusters"] });
    },
  });
  const flows = useFlowsOf(alias);
  return (
    <ConfirmByName
      title={`Delete the cluster ${alias}`}
      effect="The service forgets the cluster with its settings and secrets. Nothing changes in Kafka."
      why={flows.length === 0 ? null : usedBy(flows)}
      name={alias}
      submit={`Delete ${alias}`}
      same={sameClusterDelete(alias)}
      isPending={order.isPending}
      error={order.error}
      onConfirm={() => order.mutate()}
      onClose={onClose}
    />
  );
}

/** The names of the flows that read from a cluster or write into it. */
function useFlowsOf(alias: string): string[] {
  const { data: into } = useQuery(flowsOfQuery("target", alias));
  const { data: from } = useQuery(flowsOfQuery("source", alias));
  return [...(into?.items ?? []), ...(from?.items ?? [])].map(
    ({ source, target }) => `${source} → ${target}`,
  );
}

const NAMED_FLOWS = 3;

function usedBy(flows: readonly string[]): string {
  const others = flows.length > NAMED_FLOWS ? ", …" : "";
  const names = flows.slice(0, NAMED_FLOWS).join(", ");
  return `${plural(flows.length, "flow uses", "flows use")} the cluster (${names}${others}): delete them first.`;
}
