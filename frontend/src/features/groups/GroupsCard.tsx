import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconRefresh, IconUsersGroup } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { groupsQuery } from "@/api/groups";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { SyncTimes } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { useOpenRows } from "@/components/table/opened/useOpenRows";
import { useTableView } from "@/components/table/useTableView";
import { DEFAULT_ORDER, GROUP_ORDERS, groupColumns, orderOf } from "@/features/groups/columns";
import { GroupDetails } from "@/features/groups/GroupDetails";
import { ReadinessFilter } from "@/features/groups/ReadinessFilter";
import { SkippedGroups } from "@/features/groups/SkippedGroups";
import { SyncPanel } from "@/features/groups/SyncPanel";
import { isReadiness, READINESS, READINESS_HINTS } from "@/features/groups/words";
import { duration } from "@/lib/time";
import { capitalized } from "@/lib/words";
import "@/features/groups/groups.css";

const TYPING_MS = 250;
const READINESS_WORDS = READINESS.map(
  (word) => [capitalized(word), capitalized(READINESS_HINTS[word])] as const,
);

interface Change {
  group?: string | undefined;
  readiness?: string | undefined;
}

/** The consumer groups of a flow: can they continue on the target, and why not. */
export default function GroupsCard(flow: FlowAddress) {
  const search = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [isSyncing, setSyncing] = useState(false);
  const q = search.group ?? "";
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const readiness = isReadiness(search.readiness) ? search.readiness : undefined;
  const opened = useOpenRows("groups");
  const view = useTableView("consumer groups", groupColumns(opened), DEFAULT_ORDER, "groups");
  const ordering = orderOf(view.sort);
  const answer = useInfiniteQuery(groupsQuery(flow, { q: asked, readiness, ordering }));
  const mayAct = useMay("flows.act");
  const first = answer.data?.pages[0];
  const change = (query: Change): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  const counts = first?.counts ?? null;
  return (
    <Card
      title="Consumer groups"
      note={first?.sync && <SyncNote sync={first.sync} />}
      tools={
        <>
          {counts !== null && (
            <ReadinessFilter
              counts={counts}
              chosen={readiness}
              onChoose={(word) => change({ readiness: word })}
            />
          )}
          <ListFilter label="Filter by group" value={q} onChange={(group) => change({ group })} />
          <ColumnTools view={view} words={READINESS_WORDS} />
          <ListCommands list="groups" flow={flow} filters={{ q: asked, readiness }} />
          {mayAct && counts !== null && counts.total > 0 && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              aria-expanded={isSyncing}
              onClick={() => setSyncing(!isSyncing)}
            >
              Sync all now
            </Button>
          )}
        </>
      }
    >
      {isSyncing && <SyncPanel flow={flow} groups={[]} onClose={() => setSyncing(false)} />}
      <PagedTable
        view={{ ...view, sort: ordering }}
        answer={answer}
        empty={
          asked === "" && readiness === undefined ? (
            <EmptyState icon={IconUsersGroup} title="This flow translates no consumer group yet">
              Groups appear here as soon as one that the flow's list of groups allows has committed offsets of
              a copied topic.
            </EmptyState>
          ) : (
            <NoMatch
              title="No consumer group matches the filter"
              onClear={() => change({ group: undefined, readiness: undefined })}
            />
          )
        }
        ordered={GROUP_ORDERS}
        rowId={({ group }) => group}
      >
        {(group, cells) => (
          <>
            <tr>{cells}</tr>
            {opened.isOpen(group.group) && (
              <tr className="details-row" id={opened.detailsId(group.group)}>
                <td colSpan={view.columns.length}>
                  <GroupDetails flow={flow} group={group} mayAct={mayAct} />
                </td>
              </tr>
            )}
          </>
        )}
      </PagedTable>
      {first !== undefined && first.skipped_total > 0 && (
        <SkippedGroups skipped={first.skipped} total={first.skipped_total} />
      )}
    </Card>
  );
}

function SyncNote({ sync }: { sync: SyncTimes }) {
  if (!sync.enabled) return <>Offsets are not written to the target: group offset sync is off</>;
  return <>Offsets are written to the target every {duration(sync.effective_interval_ms)}</>;
}
