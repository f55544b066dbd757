import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { flowsQuery } from "@/api/queries";
import type { Applied } from "@/api/types";
import { sameRevert } from "@/components/by-hand/actions";
import { FlowName } from "@/components/FlowName";
import { ByHandNote } from "@/components/form/ByHandNote";
import { ChangesTable } from "@/components/form/ChangesTable";
import { useSessionState } from "@/components/form/useSessionState";
import { ErrorState, LoadingRows } from "@/components/states";
import { CommentField } from "@/features/configuration/CommentField";
import { changesOf } from "@/features/configuration/changes";
import { Findings } from "@/features/configuration/Findings";
import { revertTo } from "@/features/configuration/requests";
import { ApplyProblem } from "@/features/configuration/review/ApplyForm";
import { keepApplied } from "@/features/configuration/rollout/applied";
import { plural } from "@/lib/format";

interface RevertPanelProps {
  number: number;
  newest: number;
  onClose: () => void;
}

/** A revert: what it would change, and the order. It is a new version. */
export function RevertPanel({ number, newest, onClose }: RevertPanelProps) {
  const [{ comment }, type, forget] = useSessionState(`revert to ${number}`, { comment: "" });
  const end = () => {
    forget();
    onClose();
  };
  const heading = useRef<HTMLHeadingElement>(null);
  const { data: fleet } = useQuery(flowsQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  useEffect(() => heading.current?.focus(), []);
  const rehearsal = useQuery({
    queryKey: ["configuration", "revert", number, newest],
    queryFn: () => revertTo(number, { comment: "", dry_run: true }, null),
    retry: false,
  });
  const order = useMutation({
    mutationFn: () =>
      revertTo(number, { comment: comment.trim(), dry_run: false }, rehearsal.data?.etag ?? null),
    onSuccess: async ({ data }) => {
      keepApplied(queries, data, fleet?.flows ?? []);
      end();
      await queries.invalidateQueries({ queryKey: ["configuration"] });
      await navigate({
        to: ".",
        search: (before: object) => ({ ...before, from_version: data.version - 1, to_version: data.version }),
        resetScroll: false,
      });
    },
  });
  const effect = rehearsal.data?.data;
  const isReady = effect?.changed === true;
  return (
    <form
      className="card form-panel"
      aria-label={`Revert to version ${number}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !order.isPending) order.mutate();
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Revert to version {number}
      </h2>
      <p className="muted">
        The properties of version {number} become the next version, with their secrets and comments. The
        history stays.
      </p>
      {rehearsal.isPending && <LoadingRows rows={2} label="Asking what the revert would change" />}
      {rehearsal.error !== null && (
        <ErrorState what="The effect" error={rehearsal.error} onRetry={() => void rehearsal.refetch()} />
      )}
      {effect !== undefined && <Effect effect={effect} />}
      <CommentField value={comment} onChange={(comment) => type({ comment })} />
      <ByHandNote same={sameRevert(number, comment.trim())} />
      <ApplyProblem error={order.error} />
      <div className="form-buttons">
        <Button type="submit" disabled={!isReady} loading={order.isPending}>
          Revert to version {number}
        </Button>
        <Button variant="default" onClick={end}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What a rehearsed change would do. */
export function Effect({ effect }: { effect: Applied }) {
  if (!effect.changed) return <p>It would change nothing.</p>;
  return (
    <>
      <ChangesTable label="Properties that change" before="In force" rows={changesOf(effect.differences)} />
      <p>
        {effect.flows.length === 0
          ? "No flow changes."
          : `${plural(effect.flows.length, "flow changes", "flows change")}: `}
        <FlowNames flows={effect.flows} />
        {effect.clusters.length > 0 &&
          ` ${plural(effect.clusters.length, "cluster changes", "clusters change")}: ${effect.clusters.join(", ")}.`}
      </p>
      <Findings findings={effect.findings} />
    </>
  );
}

const MOST_FLOWS = 12;

function FlowNames({ flows }: { flows: Applied["flows"] }) {
  return (
    <span className="flow-names">
      {flows.slice(0, MOST_FLOWS).map(({ source, target }) => (
        <span key={`${source} ${target}`} className="tag">
          <FlowName source={source} target={target} />
        </span>
      ))}
      {flows.length > MOST_FLOWS && `and ${flows.length - MOST_FLOWS} more`}
    </span>
  );
}
