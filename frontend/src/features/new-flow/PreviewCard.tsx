import { IconListSearch } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";

interface PreviewCardProps<Found> {
  /** "topics" or "groups" */
  objects: string;
  source: string;
  /** false: no pattern is typed */
  isAsked: boolean;
  isWaiting: boolean;
  answer: { data: Found | undefined; error: Error | null; refetch: () => unknown };
  children: (found: Found) => ReactNode;
}

/** What patterns select on the source, as they are typed. */
export function PreviewCard<Found>(props: PreviewCardProps<Found>) {
  const { objects, source, isAsked, isWaiting, answer, children } = props;
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
      {error !== null && <ErrorState what="The preview" error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <LoadingRows rows={3} label={`Looking at the ${objects} of the source`} />
      )}
      {data !== undefined && error === null && children(data)}
    </Card>
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
        <StateBadge key={pattern} tone="warn" word={`${pattern} selects nothing`} />
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

/** The pattern that misses a name by little, and how. */
export const missText = ({ pattern, reason }: { pattern: string; reason: string }) => (
  <>
    <code>{pattern}</code>: {reason}
  </>
);
