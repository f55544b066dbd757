import { IconAlertCircle, IconListSearch } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { NearMiss } from "@/api/types";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { stepOf } from "@/features/new-flow/flow-form";
import type { Refusal } from "@/features/new-flow/refusal";

/** A preview that follows what is typed. */
export interface PreviewOf<Found> {
  source: string;
  /** false: no pattern is typed, or the naming is not valid */
  isAsked: boolean;
  isWaiting: boolean;
  answer: { data: Found | undefined; error: Error | null; refetch: () => unknown };
  /** why the service refuses what is typed */
  refusals: readonly Refusal[];
}

interface PreviewCardProps<Found> {
  objects: "topics" | "groups";
  /** the step of the card: its fields show their own errors */
  step: number;
  preview: PreviewOf<Found>;
  children: (found: Found) => ReactNode;
}

/** What patterns select on the source, as they are typed. */
export function PreviewCard<Found>(props: PreviewCardProps<Found>) {
  const { objects, step, preview, children } = props;
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
      {refusals.length > 0 && <NoPreview refusals={refusals} step={step} />}
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

function NoPreview({ refusals, step }: { refusals: readonly Refusal[]; step: number }) {
  const elsewhere = refusals.filter(({ field }) => field === null || stepOf(field) !== step);
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
}

export function PreviewSummary({ selected, words, unmatched }: SummaryProps) {
  return (
    <p className="preview-summary" role="status">
      <StateBadge tone={selected > 0 ? "ok" : "warn"} word={words} />
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
