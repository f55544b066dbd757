import "@/components/form/form.css";
import { Button } from "@mantine/core";
import { IconPlugConnected } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { isOvertaken } from "@/api/problem";
import type { Cluster, DefinitionTest } from "@/api/types";
import { sameCluster } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { LinkButton } from "@/components/form/LinkButton";
import { hasReasons, isInvalid, reasonsLeft } from "@/components/form/refused";
import { useSessionState } from "@/components/form/useSessionState";
import { ClusterFields, SHOWN_FIELDS } from "@/features/clusters/ClusterFields";
import { ConnectionCard } from "@/features/clusters/ConnectionCard";
import {
  type ClusterForm,
  changeOf,
  changesConnection,
  connectionOf,
  definitionOf,
  EMPTY_FORM,
  formErrors,
  formOf,
  secretsFor,
  typedIn,
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
    mutationFn: (form: ClusterForm) =>
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
  const testOf = (form: ClusterForm): DefinitionTest => ({
    ...connectionOf(form),
    timeout_ms: 8_000,
    alias: cluster?.alias ?? "",
  });
  const test = useMutation({
    mutationFn: (form: ClusterForm) => testDefinition(testOf(form)),
    onMutate: () => setDoubted(false),
  });
  const errors = formErrors(form);
  const isTestable = errors.bootstrap === undefined && errors.others === undefined;
  // a result belongs to the settings that were tested
  const tested = test.variables && testOf(test.variables);
  const isOfForm = isTestable && JSON.stringify(tested) === JSON.stringify(testOf(form));
  const report = isOfForm ? test.data : undefined;
  const testError = isOfForm ? test.error : null;
  const hasFailed = report?.ok === false || (testError !== null && !isInvalid(testError));
  const isAsking = isDoubted && hasFailed;
  const isReady = Object.keys(errors).length === 0;
  const send = () => {
    setSent(true);
    if (!isReady || save.isPending || test.isPending) return;
    if (isAsking || report?.ok || !changesConnection(form, opened?.data)) save.mutate(form);
    else if (hasFailed) setDoubted(true);
    else
      test.mutate(form, {
        onSettled: (answer) => (answer?.ok ? save.mutate(form) : setDoubted(true)),
      });
  };
  const tryOut = () => {
    setSent(true);
    if (isTestable) test.mutate(form);
  };
  const takeOver = async (alias: string) => {
    setOpened(await queries.fetchQuery({ ...clusterQuery(alias), staleTime: 0 }));
    save.reset();
  };
  const saveReasons = reasonsLeft(save.error, save.variables, form, typedIn);
  const testReasons = reasonsLeft(test.error, test.variables, form, typedIn);
  const isOutdated = hasReasons(save.error) && Object.keys(saveReasons).length === 0;
  const error = testError ?? (isOutdated ? null : save.error);
  const word = cluster === undefined ? "Add" : "Save";
  const needed = secretsFor(form.protocol);
  const kept = (cluster?.secret_names ?? []).filter(
    (name) => needed.includes(name) && connectionOf(form).secrets[name] == null,
  );
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
          reasons={{ ...saveReasons, ...testReasons }}
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
          <Button
            type="submit"
            variant={isOvertaken(save.error) ? "default" : "filled"}
            loading={save.isPending}
          >
            {isAsking ? `${word} it anyway` : `${word} the cluster`}
          </Button>
          {cluster !== undefined && isOvertaken(save.error) && (
            <Button onClick={() => void takeOver(cluster.alias)}>
              Keep my values on top of these changes
            </Button>
          )}
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} aria-hidden />}
            loading={test.isPending}
            onClick={tryOut}
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
        {kept.length > 0 && (
          <p className="muted">
            Stored secrets stay unless you enter others: {kept.join(", ")}. If you change bootstrap servers or
            security settings, enter them again: stored secrets are not sent elsewhere.
          </p>
        )}
      </form>
      {report !== undefined && (
        <div className="after-form">
          <ConnectionCard report={report} />
        </div>
      )}
    </>
  );
}

function same(form: ClusterForm, cluster: Cluster | undefined) {
  if (cluster === undefined) return sameCluster(form.alias.trim(), definitionOf(form), true);
  return sameCluster(cluster.alias, changeOf(form, cluster), false);
}
