import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { TopicPreview as Preview } from "@/api/types";
import { linesOf } from "@/components/form/lines";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { stackedLabels } from "@/components/table/stacked";
import { type FlowForm, policyOf } from "@/features/new-flow/flow-form";
import { namingErrors } from "@/features/new-flow/naming";
import {
  FirstShown,
  NearMisses,
  NotSelected,
  PreviewCard,
  type PreviewOf,
  PreviewSummary,
} from "@/features/new-flow/preview/PreviewCard";
import { refusalsIn, refusalsOf, TOPIC_FIELDS } from "@/features/new-flow/refusal";
import { previewQuery } from "@/features/new-flow/requests";
import { plural } from "@/lib/format";

/** Waits until a pattern is typed. */
export const TYPING_MS = 350;

/** What the patterns select on the source now, as they are typed. */
export function useTopicPreview(form: FlowForm, isShown: boolean): PreviewOf<Preview> {
  const [typed] = useDebouncedValue(form, TYPING_MS);
  const allow = linesOf(typed.topicsAllow);
  const isAsked = allow.length > 0;
  const naming = refusalsIn(namingErrors(typed));
  const flow = { source: typed.source, target: typed.target };
  const query = useQuery({
    ...previewQuery(flow, allow, linesOf(typed.topicsDeny), policyOf(typed)),
    enabled: isShown && isAsked && naming.length === 0,
  });
  return {
    source: typed.source,
    isAsked,
    isWaiting: query.isFetching || typed !== form,
    answer: query,
    refusals: isAsked && typed === form ? [...naming, ...refusalsOf(query.error, TOPIC_FIELDS)] : [],
  };
}

export function TopicPreview({ preview }: { preview: PreviewOf<Preview> }) {
  return (
    <PreviewCard objects="topics" step={1} preview={preview}>
      {(found) => <Found preview={found} />}
    </PreviewCard>
  );
}

function Found({ preview }: { preview: Preview }) {
  const { counts } = preview;
  const matches = counts.matches ?? preview.matches.length;
  return (
    <>
      <PreviewSummary
        selected={matches}
        words={`${plural(matches, "topic")} selected`}
        unmatched={preview.unmatched_patterns}
      />
      {preview.matches.length > 0 && <Matches preview={preview} />}
      <FirstShown shown={preview.matches.length} all={matches} />
      <NearMisses misses={preview.near_misses} count={counts.near_misses} />
      <NotSelected
        title="Denied"
        count={counts.denied}
        rows={preview.denied.map(({ topic, reason }) => ({ name: topic, text: reason }))}
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
