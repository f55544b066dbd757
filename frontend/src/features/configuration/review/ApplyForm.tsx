import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { ApiProblem, isOvertaken } from "@/api/problem";
import { flowsQuery } from "@/api/queries";
import type { Applied, CheckedDraft } from "@/api/types";
import { sameApply } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { ChangesTable } from "@/components/form/ChangesTable";
import { FormProblem } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import { CommentField } from "@/features/configuration/CommentField";
import { applyDraft, draftPlanQuery } from "@/features/configuration/requests";
import { editionOf, hasPlan } from "@/features/configuration/review/summary";
import { keepApplied } from "@/features/configuration/rollout/applied";
import type { OpenDraft } from "@/features/configuration/useDraft";
import { plural } from "@/lib/format";

/** The order to make a draft the next version, with its comment. */
export function ApplyForm({ open, draft }: { open: OpenDraft; draft: CheckedDraft }) {
  const [{ comment }, type, forget] = useSessionState(`apply draft ${open.id}`, { comment: "" });
  const isRefused = !useMay("flows.change", true);
  const { data: fleet } = useQuery(flowsQuery);
  const plan = useQuery({ ...draftPlanQuery(open.id, editionOf(draft)), enabled: hasPlan(draft) });
  const isChecked = open.isChecked && !plan.isPending;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const order = useMutation({
    mutationFn: () => applyDraft(open.id, comment.trim()),
    onSuccess: async (applied: Applied) => {
      forget();
      keepApplied(queries, applied, fleet?.flows ?? []);
      await navigate({
        to: "/configuration/history",
        search: ({ from, to }) => ({
          from,
          to,
          from_version: Math.max(0, applied.version - 1),
          to_version: applied.version,
        }),
      });
      await queries.invalidateQueries({ queryKey: ["configuration"] });
    },
    onError: () => open.refetch(),
  });
  if (isRefused) {
    return (
      <p className="config-apply muted">Your role can read drafts. Applying one needs the operator role.</p>
    );
  }
  const why = reasonNot(draft) ?? (isChecked ? null : "Checking the plan and the changes of others…");
  return (
    <form
      className="card form-panel config-apply"
      aria-label="Apply the draft"
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null && !order.isPending) order.mutate();
      }}
    >
      <h2>Apply</h2>
      <CommentField value={comment} onChange={(comment) => type({ comment })} />
      <ApplyProblem error={order.error} />
      {why === null && <ByHandNote same={sameApply(open.id, draft.changes, comment.trim())} />}
      <div className="form-buttons">
        <Button type="submit" disabled={why !== null} loading={order.isPending}>
          Apply {plural(draft.changes.length, "change")}
        </Button>
        {why !== null && (
          <span role="status" className="muted">
            {why}
          </span>
        )}
      </div>
    </form>
  );
}

/** Why a draft cannot be applied now; null: it can. */
function reasonNot(draft: CheckedDraft): string | null {
  if (!draft.is_valid) return "Fix the errors first.";
  if (draft.differences.length === 0) return "It would change nothing.";
  if (draft.current_version !== draft.base_version)
    return `Put the draft on top of version ${draft.current_version} first.`;
  return null;
}

/** A refusal; if others were faster, with what they have changed. */
export function ApplyProblem({ error }: { error: Error | null }) {
  if (!(error instanceof ApiProblem) || !isOvertaken(error)) return <FormProblem error={error} />;
  return (
    <div role="alert" className="form-problem">
      <p>Someone else changed the configuration in the meantime. Nothing was applied.</p>
      {error.diff.length > 0 && (
        <ChangesTable
          label="Changes of others"
          before="You reviewed"
          after="Now"
          rows={error.diff.map(({ field, yours, current }) => ({
            key: field,
            before: yours,
            after: current,
          }))}
        />
      )}
    </div>
  );
}
