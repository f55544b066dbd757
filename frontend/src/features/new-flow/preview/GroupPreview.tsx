import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import type { GroupPreview as Preview } from "@/api/types";
import { linesOf } from "@/components/form/lines";
import { NameText } from "@/components/NameText";
import { stackedLabels } from "@/components/table/stacked";
import { type FlowForm, policyOf } from "@/features/new-flow/flow-form";
import {
  FirstShown,
  NearMisses,
  NotSelected,
  PreviewCard,
  type PreviewOf,
  PreviewSummary,
} from "@/features/new-flow/preview/PreviewCard";
import { TYPING_MS } from "@/features/new-flow/preview/TopicPreview";
import { GROUP_FIELDS, refusalsOf } from "@/features/new-flow/refusal";
import { groupPreviewQuery } from "@/features/new-flow/requests";
import { plural } from "@/lib/format";

/** The groups of the source that the flow would translate, as their patterns are typed. */
export function useGroupPreview(form: FlowForm, isShown: boolean): PreviewOf<Preview> {
  const [typed] = useDebouncedValue(form, TYPING_MS);
  const allow = linesOf(typed.groupsAllow);
  const isAsked = allow.length > 0;
  const query = useQuery({
    ...groupPreviewQuery(
      { source: typed.source, target: typed.target },
      {
        allow,
        deny: linesOf(typed.groupsDeny),
        topics_allow: linesOf(typed.topicsAllow),
        topics_deny: linesOf(typed.topicsDeny),
        policy: policyOf(typed),
      },
    ),
    enabled: isShown && isAsked,
  });
  return {
    source: typed.source,
    isAsked,
    isWaiting: query.isFetching || typed !== form,
    answer: query,
    refusals: isAsked && typed === form ? refusalsOf(query.error, GROUP_FIELDS) : [],
  };
}

export function GroupPreview({ preview }: { preview: PreviewOf<Preview> }) {
  return (
    <PreviewCard objects="groups" step={2} preview={preview}>
      {(found) => <Found preview={found} />}
    </PreviewCard>
  );
}

function Found({ preview }: { preview: Preview }) {
  const { counts } = preview;
  const matches = counts.matches ?? preview.matches.length;
  const words =
    preview.on_source === 0
      ? `${preview.source} lists no consumer group for this login`
      : `${plural(matches, "group")} selected`;
  return (
    <>
      <PreviewSummary selected={matches} words={words} unmatched={preview.unmatched_patterns} />
      {preview.matches.length > 0 && <Matches preview={preview} />}
      <FirstShown shown={preview.matches.length} all={matches} />
      <NotSelected
        title="Selected, but not translated"
        count={counts.skipped}
        rows={preview.skipped.map(({ group, reason }) => ({ name: group, text: reason }))}
      />
      <NearMisses misses={preview.near_misses} count={counts.near_misses} />
      <NotSelected
        title="Denied"
        count={counts.denied}
        rows={preview.denied.map(({ group, reason }) => ({ name: group, text: reason }))}
      />
    </>
  );
}

function Matches({ preview }: { preview: Preview }) {
  return (
    <section
      className="table-scroll preview-table"
      aria-label="Selected groups"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={stackedLabels(["Group", "State", "Topics"])}
    >
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Group on {preview.source}</th>
            <th scope="col">State</th>
            <th scope="col" className="numeric">
              Topics of the flow
            </th>
          </tr>
        </thead>
        <tbody>
          {preview.matches.map(({ group, state, topics }) => (
            <tr key={group}>
              <th scope="row" className="topic-cell">
                <NameText name={group} />
              </th>
              <td>{state}</td>
              <td className="numeric">{topics ?? <span className="muted">not read</span>}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
