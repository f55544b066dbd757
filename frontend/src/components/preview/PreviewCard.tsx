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
import { plural } from "@/lib/format";

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

/** What both kinds of previews tell of the names that patterns select. */
interface Found {
  matches: readonly unknown[];
  near_misses: readonly NearMiss[];
  unmatched_patterns: readonly string[];
  counts: Readonly<Record<string, number>>;
}

interface FoundNamesProps {
  one: "topic" | "group";
  found: Found;
  /** absent: how many names are selected */
  words?: string | undefined;
  /** names among them that need no pattern */
  besides?: { count: number; words: string } | undefined;
  /** from the patterns in force; null: not known */
  difference: Difference | null;
  denied: NotSelectedProps["rows"];
  /** names that are selected, and do not count */
  skipped?: ReactNode;
  /** the table of the selected names */
  children: ReactNode;
}

/** The names that patterns select, and those that they do not. */
export function FoundNames(props: FoundNamesProps) {
  const { one, found, besides, difference, denied, skipped, children } = props;
  const { matches, counts } = found;
  const selected = counts.matches ?? matches.length;
  const isFound = selected > (besides?.count ?? 0);
  const words = [props.words ?? `${plural(selected, one)} selected`, ...(besides ? [besides.words] : [])];
  return (
    <>
      <p className="preview-summary" role="status">
        <StateBadge tone={isFound ? "ok" : "warn"} word={words.join(", ")} />
        {difference !== null && <DifferenceBadges {...difference} />}
        {found.unmatched_patterns.map((pattern) => (
          <StateBadge key={pattern} tone="warn" word={`“${pattern}” selects nothing`} />
        ))}
      </p>
      {matches.length > 0 && children}
      {selected > matches.length && (
        <p className="preview-more muted">The first {matches.length} are shown.</p>
      )}
      <NotSelected
        title="No longer selected"
        rows={(difference?.ended ?? []).map((name) => ({ name, text: null }))}
      />
      {skipped}
      <NotSelected
        title="Near misses"
        count={counts.near_misses}
        rows={found.near_misses.map(({ name, pattern, reason }) => ({
          name,
          text: (
            <>
              <code>{pattern}</code>: {reason}
            </>
          ),
        }))}
      />
      <NotSelected title="Denied" count={counts.denied} rows={denied} />
    </>
  );
}

/** How many names edited patterns add and end. */
function DifferenceBadges({ added, ended }: Difference) {
  if (ended === null) return null;
  return (
    <>
      {added.size > 0 && <StateBadge tone="ok" word={`${added.size} new`} />}
      {ended.length > 0 && <StateBadge tone="warn" word={`${ended.length} no longer selected`} />}
    </>
  );
}

interface NotSelectedProps {
  title: string;
  /** of all such names; absent: of the rows */
  count?: number | undefined;
  rows: readonly { name: string; text: ReactNode }[];
}

/** Names that are not selected, each with the reason. */
export function NotSelected({ title, rows, count = rows.length }: NotSelectedProps) {
  if (rows.length === 0) return null;
  return (
    <details className="preview-details" open={rows.length <= 5}>
      <summary>
        {title} <span className="muted">{count}</span>
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
