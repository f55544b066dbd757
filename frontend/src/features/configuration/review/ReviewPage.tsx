import "@/components/plan/plan.css";
import { IconFileDiff } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { CheckedDraft } from "@/api/types";
import { Card } from "@/components/Card";
import { ChangesTable } from "@/components/form/ChangesTable";
import { LinkButton } from "@/components/form/LinkButton";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { changesOf, wantedOf } from "@/features/configuration/changes";
import { DraftLinks } from "@/features/configuration/DraftBar";
import { Findings } from "@/features/configuration/Findings";
import { draftsQuery, propertiesQuery } from "@/features/configuration/requests";
import { ApplyForm } from "@/features/configuration/review/ApplyForm";
import { OthersCard } from "@/features/configuration/review/OthersCard";
import { PlanCard } from "@/features/configuration/review/PlanCard";
import { editionOf, hasPlan } from "@/features/configuration/review/summary";
import { useOpenDraft } from "@/features/configuration/useDraft";
import { plural } from "@/lib/format";

/** What the open draft changes: its properties, its effect on each flow, and the order to apply it. */
export function ReviewPage() {
  const open = useOpenDraft({ refetchOnMount: "always" });
  const draft = open?.draft;
  if (open === null || open.isGone) return <NoDraft />;
  if (draft === undefined) {
    return (
      <section className="card" aria-label="Draft">
        {open.error === null && <LoadingRows rows={5} label="Loading the draft" />}
        {open.error !== null && <ErrorState what="The draft" error={open.error} onRetry={open.refetch} />}
      </section>
    );
  }
  return (
    <>
      {draft.current_version !== draft.base_version && <OthersCard draft={draft} open={open} />}
      <Card hasFocus title="Changed properties" note={plural(draft.changes.length, "change")}>
        {draft.findings.length > 0 && (
          <div className="card-body">
            <Findings findings={draft.findings} />
          </div>
        )}
        {draft.is_valid && draft.differences.length === 0 && (
          <p className="card-body muted">The configuration in force already has these values.</p>
        )}
        {draft.differences.length > 0 && (
          <ChangesTable label="Table of changed properties" rows={changesOf(draft.differences)} />
        )}
        {!draft.is_valid && <WantedProperties draft={draft} />}
      </Card>
      {hasPlan(draft) && <PlanCard draft={open.id} edition={editionOf(draft)} />}
      <ApplyForm open={open} draft={draft} />
    </>
  );
}

function WantedProperties({ draft }: { draft: CheckedDraft }) {
  const { data, error, refetch } = useQuery(propertiesQuery);
  if (data === undefined && error !== null)
    return <ErrorState what="The properties" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <LoadingRows rows={2} label="Loading the properties" />;
  return <ChangesTable label="Table of wanted properties" rows={wantedOf(draft.changes, data.properties)} />;
}

function NoDraft() {
  const { data: drafts = [] } = useQuery(draftsQuery);
  const action = (
    <LinkButton size="xs" to="/configuration" search={({ from, to }) => ({ from, to })}>
      Show the properties
    </LinkButton>
  );
  return (
    <section className="card" aria-label="Review">
      <EmptyState icon={IconFileDiff} title="No draft is open" action={action}>
        A draft collects changes before they are applied.{" "}
        {drafts.length === 0 ? "Edit a property to begin one." : "Open one of these, or edit a property:"}
        {drafts.length > 0 && <DraftLinks drafts={drafts} />}
      </EmptyState>
    </section>
  );
}
