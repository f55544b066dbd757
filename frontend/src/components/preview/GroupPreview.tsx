import type { GroupPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import { FoundNames, NotSelected, PreviewCard } from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, groupsIn, type Selection } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import { PlainTable } from "@/components/table/PlainTable";

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
      {(found) => <FoundGroups found={found} difference={differenceOf(groupsIn(found), inForce)} />}
    </PreviewCard>
  );
}

interface FoundGroupsProps {
  found: Preview;
  difference: Difference | null;
}

function FoundGroups({ found, difference }: FoundGroupsProps) {
  return (
    <FoundNames
      one="group"
      found={found}
      words={found.on_source === 0 ? `${found.source} lists no consumer group for this login` : undefined}
      difference={difference}
      denied={found.denied.map(({ group, reason }) => ({ name: group, text: reason }))}
      skipped={
        <NotSelected
          title="Selected, but not translated"
          count={found.counts.skipped}
          rows={found.skipped.map(({ group, reason }) => ({ name: group, text: reason }))}
        />
      }
    >
      <PlainTable
        className="preview-table"
        label="Selected groups"
        headings={[
          { label: `Group on ${found.source}`, short: "Group" },
          "State",
          { label: "Topics of the flow", short: "Topics", className: "numeric" },
        ]}
        isStacked
      >
        {found.matches.map(({ group, state, topics }) => (
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
      </PlainTable>
    </FoundNames>
  );
}
