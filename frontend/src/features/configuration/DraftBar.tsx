import { Button } from "@mantine/core";
import { IconFileDiff, IconTrash, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import { meQuery } from "@/api/queries";
import type { CheckedDraft, Draft } from "@/api/types";
import { sameDiscard } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { LinkButton } from "@/components/form/LinkButton";
import { StateBadge } from "@/components/StateBadge";
import { deleteDraft, draftsQuery } from "@/features/configuration/requests";
import {
  type OpenDraft,
  ownDraft,
  useCloseDraft,
  useMayChangeDraft,
  useOpenDraft,
} from "@/features/configuration/useDraft";
import { plural } from "@/lib/format";

const MOST_DRAFTS = 6;

/** The open draft with the way to its review; without one, the stored drafts. */
export function DraftBar() {
  const open = useOpenDraft();
  const { data: drafts } = useQuery(draftsQuery);
  if (open === null)
    return drafts !== undefined && drafts.length > 0 ? <StoredDrafts drafts={drafts} /> : null;
  if (open.isGone) return <GoneDraft />;
  if (open.draft === undefined) return null;
  return (
    <OpenDraftBar open={open} draft={open.draft} others={(drafts ?? []).filter(({ id }) => id !== open.id)} />
  );
}

function StoredDrafts({ drafts }: { drafts: readonly Draft[] }) {
  const { data: me } = useQuery(meQuery);
  const own = me === undefined ? undefined : ownDraft(drafts, me.username);
  return (
    <section className="draft-bar" aria-label="Drafts">
      <strong>{plural(drafts.length, "draft")} not applied</strong>
      <DraftLinks drafts={drafts} />
      {own !== undefined && <span className="muted">Your next change joins {own.name}.</span>}
    </section>
  );
}

/** The way to each stored draft. */
export function DraftLinks({ drafts }: { drafts: readonly Draft[] }) {
  return (
    <>
      <ul className="draft-list">
        {drafts.slice(0, MOST_DRAFTS).map((draft) => (
          <li key={draft.id}>
            <Link to="." search={(search) => ({ ...search, draft: draft.id })} resetScroll={false}>
              {draft.name}
            </Link>{" "}
            <span className="muted">
              by {draft.author}, {plural(draft.changes.length, "change")}
            </span>
          </li>
        ))}
      </ul>
      {drafts.length > MOST_DRAFTS && <span className="muted">and {drafts.length - MOST_DRAFTS} more</span>}
    </>
  );
}

function GoneDraft() {
  const close = useCloseDraft();
  return (
    <section className="draft-bar" aria-label="Draft">
      <span>This draft was applied or deleted.</span>
      <Button size="xs" variant="default" className="push" onClick={() => void close()}>
        Close
      </Button>
    </section>
  );
}

interface OpenDraftBarProps {
  open: OpenDraft;
  draft: CheckedDraft;
  others: readonly Draft[];
}

function OpenDraftBar({ open, draft, others }: OpenDraftBarProps) {
  const [isDiscarding, setDiscarding] = useState(false);
  const close = useCloseDraft();
  const isReview = useLocation().pathname.endsWith("/review");
  const mayDiscard = useMayChangeDraft(open);
  return (
    <section className="draft-bar" aria-label="Open draft" data-open>
      <strong>{draft.name}</strong>
      <span className="muted">
        by {draft.author}, {plural(draft.changes.length, "change")} on version {draft.base_version}
      </span>
      <DraftState draft={draft} />
      <span className="push draft-buttons">
        {!isReview && (
          <LinkButton
            size="xs"
            to="/configuration/review"
            search={({ from, to, draft }) => ({ from, to, draft })}
            leftSection={<IconFileDiff size={14} aria-hidden />}
          >
            Review {plural(draft.changes.length, "change")}
          </LinkButton>
        )}
        {mayDiscard && (
          <Button
            size="xs"
            variant="default"
            aria-expanded={isDiscarding}
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={() => setDiscarding(!isDiscarding)}
          >
            Discard
          </Button>
        )}
        <Button
          size="xs"
          variant="default"
          title="The draft stays stored"
          leftSection={<IconX size={14} aria-hidden />}
          onClick={() => void close()}
        >
          Close
        </Button>
      </span>
      {isDiscarding && <Discard draft={draft} onClose={() => setDiscarding(false)} />}
      {others.length > 0 && (
        <div className="draft-others">
          <span className="muted">{plural(others.length, "other draft")} not applied</span>
          <DraftLinks drafts={others} />
        </div>
      )}
    </section>
  );
}

/** Whether the draft can be applied as it is. */
function DraftState({ draft }: { draft: CheckedDraft }) {
  const errors = draft.findings.filter(({ severity }) => severity === "error").length;
  const warnings = draft.findings.filter(({ severity }) => severity === "warning").length;
  if (errors > 0) return <StateBadge tone="bad" word={plural(errors, "error")} />;
  if (draft.current_version !== draft.base_version)
    return <StateBadge tone="warn" word={`The configuration is at version ${draft.current_version}`} />;
  if (warnings > 0) return <StateBadge tone="warn" word={plural(warnings, "warning")} />;
  return <StateBadge tone="ok" word="Valid" />;
}

function Discard({ draft, onClose }: { draft: CheckedDraft; onClose: () => void }) {
  const queries = useQueryClient();
  const close = useCloseDraft();
  const order = useMutation({
    mutationFn: () => deleteDraft(draft.id),
    onSuccess: async () => {
      await close();
      await queries.invalidateQueries({ queryKey: ["configuration"] });
    },
  });
  return (
    <form
      className="draft-discard"
      aria-label="Discard the draft"
      onSubmit={(event) => {
        event.preventDefault();
        order.mutate();
      }}
    >
      <span>
        This deletes {draft.name} with {plural(draft.changes.length, "change")}. The configuration in force
        does not change.
      </span>
      <Button size="xs" type="submit" className="form-danger" loading={order.isPending}>
        Discard the draft
      </Button>
      <Button size="xs" variant="default" onClick={onClose}>
        Keep the draft
      </Button>
      <ByHandNote same={sameDiscard(draft.id)} />
      <FormProblem error={order.error} />
    </form>
  );
}
