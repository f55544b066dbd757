import "@/components/form/form.css";
import { Button } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiProblem } from "@/api/problem";
import type { Cluster, DefinitionTest } from "@/api/types";
import { sameCluster } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { LinkButton } from "@/components/form/LinkButton";
import { useSessionState } from "@/components/form/useSessionState";
import { ClusterFields, SHOWN_FIELDS } from "@/features/clusters/ClusterFields";
import { ConnectionCard } from "@/features/clusters/ConnectionCard";
import {
  type ClusterForm,
  changeOf,
  definitionOf,
  EMPTY_FORM,
  formErrors,
  formOf,
  withoutSecrets,
} from "@/features/clusters/cluster-form";
import { changeCluster, clusterQuery, createCluster, testDefinition } from "@/features/clusters/requests";

interface ClusterEditorProps {
  /** the cluster to change; absent: a new one */
  stored?: { data: Cluster; etag: string | null };
}

/** The form of a cluster. What was typed outlives a new sign-in, except the secrets. */
export function ClusterEditor({ stored }: ClusterEditorProps) {
  const cluster = stored?.data;
  const [opened, setOpened] = useState(stored);
  const [form, change, forget] = useSessionState(
    `cluster ${cluster?.alias ?? ""}`,
    cluster === undefined ? EMPTY_FORM : formOf(cluster),
    withoutSecrets,
  );
  const [isSent, setSent] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const save = useMutation({
    mutationFn: () =>
      opened === undefined
        ? createCluster(definitionOf(form))
        : changeCluster(opened.data.alias, changeOf(form, opened.data), opened.etag),
    onSuccess: async ({ alias }) => {
      forget();
      await queries.invalidateQueries({ queryKey: ["clusters"] });
      await queries.invalidateQueries({ queryKey: ["cluster", alias] });
      await navigate({ to: "/clusters/$alias", params: { alias } });
    },
  });
  const [isDoubted, setDoubted] = useState(false);
  const { bootstrap, client = {}, secrets = {} } = definitionOf(form);
  const tested: DefinitionTest = { bootstrap, client, secrets, timeout_ms: 8_000 };
  const test = useMutation({ mutationFn: testDefinition, onMutate: () => setDoubted(false) });
  const hasFailed = test.data?.ok === false && JSON.stringify(test.variables) === JSON.stringify(tested);
  const isAsking = isDoubted && hasFailed;
  const isOvertaken = save.error instanceof ApiProblem && save.error.status === 412;
  const isReady = Object.keys(formErrors(form)).length === 0;
  const send = () => {
    setSent(true);
    if (!isReady || save.isPending) return;
    if (hasFailed && !isDoubted) setDoubted(true);
    else save.mutate();
  };
  const takeOver = async (alias: string) => {
    setOpened(await queries.fetchQuery({ ...clusterQuery(alias), staleTime: 0 }));
    save.reset();
  };
  const error = save.error ?? test.error;
  const word = cluster === undefined ? "Add" : "Save";
  const typed = definitionOf(form).secrets ?? {};
  const untested = (cluster?.secret_names ?? []).filter((name) => typed[name] == null);
  return (
    <>
      <form
        className="form"
        noValidate
        aria-label={cluster === undefined ? "New cluster" : `Edit ${cluster.alias}`}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <ClusterFields
          form={form}
          change={change}
          stored={cluster?.secret_names ?? []}
          isNew={cluster === undefined}
          isSent={isSent}
          error={error}
        />
        {isSent && !isReady && (
          <div role="alert" className="form-problem">
            <p>Some fields are missing or not valid. The reason is beside each of them.</p>
          </div>
        )}
        <FormProblem error={error} shown={SHOWN_FIELDS} />
        {isReady && <ByHandNote same={same(form, cluster)} />}
        {isAsking && (
          <div role="alert" className="form-problem">
            <p>The test failed. {word} it anyway?</p>
          </div>
        )}
        <div className="form-buttons">
          <Button type="submit" variant={isOvertaken ? "default" : "filled"} loading={save.isPending}>
            {isAsking ? `${word} it anyway` : `${word} the cluster`}
          </Button>
          {cluster !== undefined && isOvertaken && (
            <Button onClick={() => void takeOver(cluster.alias)}>
              Keep my values on top of these changes
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={test.isPending}
            onClick={() => {
              setSent(true);
              if (formErrors(form).bootstrap === undefined) test.mutate(tested);
            }}
          >
            Test the connection
          </Button>
          {cluster === undefined ? (
            <LinkButton variant="default" to="/clusters" onClick={forget}>
              Cancel
            </LinkButton>
          ) : (
            <LinkButton
              variant="default"
              to="/clusters/$alias"
              params={{ alias: cluster.alias }}
              onClick={forget}
            >
              Cancel
            </LinkButton>
          )}
        </div>
        {untested.length > 0 && (
          <p className="muted">
            The connection test uses only the values in this form. To test with stored secrets, enter them
            again: {untested.join(", ")}
          </p>
        )}
      </form>
      {test.data !== undefined && (
        <div className="after-form">
          <ConnectionCard report={test.data} />
        </div>
      )}
    </>
  );
}

function same(form: ClusterForm, cluster: Cluster | undefined) {
  if (cluster === undefined) return sameCluster(form.alias.trim(), definitionOf(form), true);
  return sameCluster(cluster.alias, changeOf(form, cluster), false);
}
