import "@/components/plan/plan.css";
import "@/components/preview/preview.css";
import { IconAlertCircle, IconListSearch } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { NearMiss } from "@/api/types";
import { Card } from "@/components/Card";
import type { Refusal } from "@/components/preview/refusal";
import type { Difference } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";

interface PreviewCardProps<Found> {
  objects: "topics" | "groups";
  /** the fields beside the card: they show their own errors */
  fields: readonly string[];
  preview: PreviewOf<Found>;
  children: (found: Found) => ReactNode;
}

/** What patterns select on the source, as they are typed. */
export function PreviewCard<Found>(props: PreviewCardProps<Found>) {
  const { objects, fields, preview, children } = props;
  const { source, isAsked, isWaiting, answer, refusals } = preview;
  const { data, error, refetch } = answer;
  if (!isAsked) {
    return (
      <Card title="Preview">
        <EmptyState icon={IconListSearch} title="Enter a name or a pattern">
          The {objects} of {source} that it selects are listed here.
        </EmptyState>
      </Card>
    );
  }
  const note = data === undefined ? undefined : isWaiting ? "looking again" : `on ${source}, now`;
  return (
    <Card title="Preview" note={note}>
      {refusals.length > 0 && <NoPreview refusals={refusals} fields={fields} />}
      {error !== null && refusals.length === 0 && (
        <ErrorState what="The preview" error={error} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && refusals.length === 0 && (
        <LoadingRows rows={3} label={`Looking at the ${objects} of the source`} />
      )}
      {data !== undefined && error === null && refusals.length === 0 && children(data)}
    </Card>
  );
}

function NoPreview({ refusals, fields }: { refusals: readonly Refusal[]; fields: readonly string[] }) {
  const elsewhere = refusals.filter(({ field }) => field === null || !fields.includes(field));
  return (
    <EmptyState icon={IconAlertCircle} title="Not valid" tone="bad">
      {elsewhere.length === 0
        ? "The reason is beside the field."
        : elsewhere.map(({ text }) => <p key={text}>{text}</p>)}
    </EmptyState>
  );
}

interface SummaryProps {
  selected: number;
  words: string;
  unmatched: readonly string[];
  /** from the patterns in force; null: not known */
  difference: Difference | null;
}

export function PreviewSummary({ selected, words, unmatched, difference }: SummaryProps) {
  const { added, ended } = difference ?? {};
  return (
    <p className="preview-summary" role="status">
      <StateBadge tone={selected > 0 ? "ok" : "warn"} word={words} />
      {ended != null && added !== undefined && added.size > 0 && (
        <StateBadge tone="ok" word={`${added.size} new`} />
      )}
      {ended != null && ended.length > 0 && (
        <StateBadge tone="warn" word={`${ended.length} no longer selected`} />
      )}
      {unmatched.map((pattern) => (
        <StateBadge key={pattern} tone="warn" word={`“${pattern}” selects nothing`} />
      ))}
    </p>
  );
}

export function FirstShown({ shown, all }: { shown: number; all: number }) {
  return all > shown ? <p className="preview-more muted">The first {shown} are shown.</p> : null;
}

interface NotSelectedProps {
  title: string;
  count: number | undefined;
  rows: readonly { name: string; text: ReactNode }[];
}

/** Names that are not selected, each with the reason. */
export function NotSelected({ title, count, rows }: NotSelectedProps) {
  if (rows.length === 0) return null;
  return (
    <details className="preview-details" open={rows.length <= 5}>
      <summary>
        {title} <span className="muted">{count ?? rows.length}</span>
      </summary>
      <ul>
        {rows.map(({ name, text }) => (
          <li key={name}>
            <strong>{name}</strong> <span className="muted">{text}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Names that a pattern misses by little, and how. */
export function NearMisses({ misses, count }: { misses: readonly NearMiss[]; count: number | undefined }) {
  const rows = misses.map(({ name, pattern, reason }) => ({
    name,
    text: (
      <>
        <code>{pattern}</code>: {reason}
      </>
    ),
  }));
  return <NotSelected title="Near misses" count={count} rows={rows} />;
}

/** Names that only the patterns in force select. */
export function Ended({ difference }: { difference: Difference | null }) {
  const rows = (difference?.ended ?? []).map((name) => ({ name, text: null }));
  return <NotSelected title="No longer selected" count={rows.length} rows={rows} />;
}
