import type { GroupPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import {
  Ended,
  FirstShown,
  NearMisses,
  NotSelected,
  PreviewCard,
  PreviewSummary,
} from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, groupsIn, type Selection } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import { stackedLabels } from "@/components/table/stacked";
import { plural } from "@/lib/format";

interface GroupPreviewProps {
  /** the fields beside the preview */
  fields: readonly string[];
  preview: PreviewOf<Preview>;
  /** the groups that the patterns in force select; null: not known, absent: the flow is new */
  inForce?: Selection | null;
}

export function GroupPreview({ fields, preview, inForce = null }: GroupPreviewProps) {
  return (
    <PreviewCard objects="groups" fields={fields} preview={preview}>
      {(found) => <Found preview={found} difference={differenceOf(groupsIn(found), inForce)} />}
    </PreviewCard>
  );
}

interface FoundProps {
  preview: Preview;
  difference: Difference | null;
}

function Found({ preview, difference }: FoundProps) {
  const { counts } = preview;
  const matches = counts.matches ?? preview.matches.length;
  const words =
    preview.on_source === 0
      ? `${preview.source} lists no consumer group for this login`
      : `${plural(matches, "group")} selected`;
  return (
    <>
      <PreviewSummary
        selected={matches}
        words={words}
        unmatched={preview.unmatched_patterns}
        difference={difference}
      />
      {preview.matches.length > 0 && <Matches preview={preview} difference={difference} />}
      <FirstShown shown={preview.matches.length} all={matches} />
      <Ended difference={difference} />
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

function Matches({ preview, difference }: FoundProps) {
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
                {difference?.added.has(group) && (
                  <>
                    {" "}
                    <StateBadge tone="ok" word="New" />
                  </>
                )}
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
