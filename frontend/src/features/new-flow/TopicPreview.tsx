import { useDebouncedValue } from "@mantine/hooks";
import { IconListSearch } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { TopicPreview as Preview } from "@/api/types";
import { Card } from "@/components/Card";
import { linesOf } from "@/components/form/lines";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";
import { type FlowForm, policyOf } from "@/features/new-flow/flow-form";
import { previewQuery } from "@/features/new-flow/requests";
import { plural } from "@/lib/format";

const TYPING_MS = 350;

/** What the patterns select on the source now, as they are typed. */
export function TopicPreview({ form }: { form: FlowForm }) {
  const [typed] = useDebouncedValue(form, TYPING_MS);
  const allow = linesOf(typed.topicsAllow);
  const flow = { source: typed.source, target: typed.target };
  const query = useQuery({
    ...previewQuery(flow, allow, linesOf(typed.topicsDeny), policyOf(typed)),
    enabled: allow.length > 0 && (typed.policy !== "template" || typed.template.includes("{topic}")),
  });
  const { data, error, refetch, isFetching } = query;
  const isWaiting = isFetching || typed !== form;
  const note = data === undefined ? undefined : isWaiting ? "looking again" : `on ${typed.source}, now`;
  if (allow.length === 0) {
    return (
      <Card title="Preview">
        <EmptyState icon={IconListSearch} title="Enter a name or a pattern">
          The topics of {typed.source} that it selects are listed here.
        </EmptyState>
      </Card>
    );
  }
  return (
    <Card title="Preview" note={note}>
      {error !== null && <ErrorState what="The preview" error={error} onRetry={() => void refetch()} />}
      {data === undefined && error === null && (
        <LoadingRows rows={3} label="Looking at the topics of the source" />
      )}
      {data !== undefined && error === null && <Found preview={data} />}
    </Card>
  );
}

function Found({ preview }: { preview: Preview }) {
  const { counts } = preview;
  const count = (name: keyof Preview & string, list: readonly unknown[]) => counts[name] ?? list.length;
  const matches = count("matches", preview.matches);
  return (
    <>
      <p className="preview-summary" role="status">
        <StateBadge tone={matches > 0 ? "ok" : "warn"} word={`${plural(matches, "topic")} selected`} />
        {preview.unmatched_patterns.map((pattern) => (
          <StateBadge key={pattern} tone="warn" word={`${pattern} selects nothing`} />
        ))}
      </p>
      {preview.matches.length > 0 && <Matches preview={preview} />}
      {matches > preview.matches.length && (
        <p className="preview-more muted">The first {preview.matches.length} are shown.</p>
      )}
      <NotSelected
        title="Near misses"
        count={count("near_misses", preview.near_misses)}
        rows={preview.near_misses.map(({ topic, pattern, reason }) => ({
          topic,
          text: (
            <>
              <code>{pattern}</code>: {reason}
            </>
          ),
        }))}
      />
      <NotSelected
        title="Denied"
        count={count("denied", preview.denied)}
        rows={preview.denied.map(({ topic, reason }) => ({ topic, text: reason }))}
      />
    </>
  );
}

function Matches({ preview }: { preview: Preview }) {
  return (
    <section
      className="table-scroll preview-table"
      aria-label="Selected topics"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={stackedLabels([`On ${preview.source}`, `On ${preview.target}`, "Partitions", "State"])}
    >
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Topic on {preview.source}</th>
            <th scope="col">Name on {preview.target}</th>
            <th scope="col" className="numeric">
              Partitions
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {preview.matches.map((match) => (
            <tr key={match.topic}>
              <th scope="row" className="topic-cell">
                <NameText name={match.topic} />
              </th>
              <td className="topic-cell">
                <NameText name={match.remote} />
              </td>
              <td className="numeric">{match.partitions}</td>
              <td>
                {match.copied_by.length > 0 ? (
                  <StateBadge tone="warn" word={`Already copied by ${match.copied_by.join(", ")}`} />
                ) : match.is_replicated ? (
                  <StateBadge tone="idle" word="Replicated already" />
                ) : (
                  <span className="muted">new</span>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface NotSelectedProps {
  title: string;
  count: number;
  rows: readonly { topic: string; text: ReactNode }[];
}

function NotSelected({ title, count, rows }: NotSelectedProps) {
  if (rows.length === 0) return null;
  return (
    <details className="preview-details" open={rows.length <= 5}>
      <summary>
        {title} <span className="muted">{count}</span>
      </summary>
      <ul>
        {rows.map(({ topic, text }) => (
          <li key={topic}>
            <strong>{topic}</strong> <span className="muted">{text}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
