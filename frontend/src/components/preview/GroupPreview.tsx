import type { GroupPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import { FoundNames, NotSelected, PreviewCard } from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, groupsIn, type Selection } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";

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
  const view = useTableView("selected groups", columnsOf(found, difference), "", "selected");
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
      <SmallTable
        className="preview-table"
        label="Selected groups"
        view={view}
        rows={found.matches}
        rowId={({ group }) => group}
      />
    </FoundNames>
  );
}

const columnsOf = (
  { source }: Preview,
  difference: Difference | null,
): readonly CellColumn<Preview["matches"][number]>[] => [
  {
    id: "group",
    label: `Group on ${source}`,
    value: ({ group }) => group,
    cell: ({ group }) => (
      <>
        <NameText name={group} />
        {difference?.added.has(group) && (
          <>
            {" "}
            <StateBadge tone="ok" word="New" />
          </>
        )}
      </>
    ),
    cellClass: "topic-cell",
  },
  { id: "state", label: "State", value: ({ state }) => state, cell: ({ state }) => state },
  {
    id: "topics",
    label: "Topics of the flow",
    value: ({ topics }) => topics,
    isNumber: true,
    cell: ({ topics }) => topics ?? <span className="muted">not read</span>,
  },
];
