import { Button } from "@mantine/core";
import { IconGitMerge } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { CheckedDraft } from "@/api/types";
import { Card } from "@/components/Card";
import { ChangesTable } from "@/components/form/ChangesTable";
import { FormProblem } from "@/components/form/FormProblem";
import { ErrorState, LoadingRows } from "@/components/states";
import { changesOf } from "@/features/configuration/changes";
import { changeDraft, versionDiffQuery } from "@/features/configuration/requests";
import { type OpenDraft, useMayChangeDraft } from "@/features/configuration/useDraft";
import { plural } from "@/lib/format";

/** What others have changed since the base version of a draft, and the order to put the draft on top of it. */
export function OthersCard({ draft, open }: { draft: CheckedDraft; open: OpenDraft }) {
  const mayChange = useMayChangeDraft(open);
  const { base_version, current_version } = draft;
  const { data, error, refetch } = useQuery(versionDiffQuery(base_version, current_version));
  const queries = useQueryClient();
  const rebase = useMutation({
    mutationFn: () => changeDraft(draft.id, { rebase: true }, open.etag),
    onSettled: () => queries.invalidateQueries({ queryKey: ["configuration"] }),
  });
  const wanted = new Set(draft.changes.map(({ key }) => key));
  const both = data?.differences.filter(({ key }) => wanted.has(key)).length ?? 0;
  return (
    <Card
      title="Others have changed the configuration"
      note={`version ${base_version} to ${current_version}`}
      className="others-card"
    >
      <p className="card-body">
        {both === 0
          ? "They changed no property of this draft. "
          : `They changed ${plural(both, "property", "properties")} of this draft: your values replace theirs. `}
        The draft applies to version {base_version} until it is put on top of version {current_version}.
      </p>
      {data === undefined && error === null && <LoadingRows rows={2} label="Loading their changes" />}
      {data === undefined && error !== null && (
        <ErrorState what="Their changes" error={error} onRetry={() => void refetch()} />
      )}
      {data !== undefined && data.differences.length > 0 && (
        <ChangesTable
          label="Changes of others"
          before={`Version ${base_version}`}
          after={`Version ${current_version}`}
          rows={changesOf(data.differences)}
        />
      )}
      {mayChange && (
        <div className="card-body others-order">
          <FormProblem error={rebase.error} />
          <Button
            variant="default"
            loading={rebase.isPending}
            leftSection={<IconGitMerge size={16} aria-hidden />}
            onClick={() => rebase.mutate()}
          >
            Put the draft on top of version {current_version}
          </Button>
        </div>
      )}
    </Card>
  );
}
