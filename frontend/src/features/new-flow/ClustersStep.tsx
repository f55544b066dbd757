import { NativeSelect } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { clustersQuery, type FlowAddress, flowsQuery } from "@/api/queries";
import { FormSection } from "@/components/form/FormSection";
import { ADDING_NEEDS_ADMIN } from "@/components/form/needs";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState } from "@/components/states";
import { clusterLabel, type FlowErrors, type FlowForm, isAmong } from "@/features/new-flow/flow-form";

export interface StepProps {
  form: FlowForm;
  change: (change: Partial<FlowForm>) => void;
  errors: FlowErrors;
}

export function ClustersStep({ form, change, errors }: StepProps) {
  const clusters = useQuery(clustersQuery);
  const { data: known } = useQuery(flowsQuery);
  const mayAdd = useMay("clusters.change");
  const mayNotAdd = !useMay("clusters.change", true);
  if (clusters.data === undefined && clusters.error !== null) {
    return <ErrorState what="The clusters" error={clusters.error} onRetry={() => void clusters.refetch()} />;
  }
  const items = clusters.data?.items ?? [];
  const options = [
    { value: "", label: "Choose a cluster" },
    ...items.map((each) => ({ value: each.alias, label: clusterLabel(each) })),
  ];
  const exists = known !== undefined && isAmong(known.flows, form);
  const chosen = items.filter(({ alias }) => alias === form.source || alias === form.target);
  return (
    <FormSection
      text={
        <>
          Records are read from the source and written to the target.{" "}
          {mayAdd && (
            <>
              Missing a cluster? <Link to="/clusters/new">Add a cluster</Link>
            </>
          )}
          {mayNotAdd && `Missing a cluster? ${ADDING_NEEDS_ADMIN}`}
        </>
      }
    >
      <NativeSelect
        label="Source"
        description="The cluster to read from"
        required
        data={options}
        value={form.source}
        error={errors.source}
        onChange={(event) => change({ source: event.currentTarget.value })}
      />
      <NativeSelect
        label="Target"
        description="The cluster to write to"
        required
        data={options}
        value={form.target}
        error={exists ? <Existing flow={form} /> : errors.target}
        onChange={(event) => change({ target: event.currentTarget.value })}
      />
      {chosen
        .filter(({ reachable }) => reachable === false)
        .map((cluster) => (
          <p key={cluster.alias} className="form-wide step-note">
            <StateBadge tone="bad" word="Unreachable" /> {cluster.alias}: {cluster.error}.{" "}
            <Link to="/clusters/$alias" params={{ alias: cluster.alias }}>
              Test the connection
            </Link>
          </p>
        ))}
    </FormSection>
  );
}

function Existing({ flow: { source, target } }: { flow: FlowAddress }) {
  return (
    <>
      A flow from {source} to {target} exists already.{" "}
      <Link to="/replications/$source/$target" params={{ source, target }}>
        Open it
      </Link>
    </>
  );
}
