import { Button } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconRefresh, IconUsersGroup } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { groupsQuery } from "@/api/groups";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { SyncTimes } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { DEFAULT_ORDER, GROUP_COLUMNS, GROUP_ORDERS, orderOf } from "@/features/groups/columns";
import { GroupRows } from "@/features/groups/GroupRows";
import { ReadinessFilter } from "@/features/groups/ReadinessFilter";
import { SkippedGroups } from "@/features/groups/SkippedGroups";
import { SyncPanel } from "@/features/groups/SyncPanel";
import { capitalized, isReadiness, READINESS, READINESS_HINTS } from "@/features/groups/words";
import { duration } from "@/lib/time";
import "@/features/groups/groups.css";

const TYPING_MS = 250;

interface Change {
  group?: string | undefined;
  readiness?: string | undefined;
  groups_sort?: string | undefined;
}

/** The consumer groups of a flow: can they continue on the target, and why not. */
export default function GroupsCard(flow: FlowAddress) {
  const search = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [isSyncing, setSyncing] = useState(false);
  const q = search.group ?? "";
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const readiness = isReadiness(search.readiness) ? search.readiness : undefined;
  const ordering = orderOf(search.groups_sort);
  const answer = useInfiniteQuery(groupsQuery(flow, { q: asked, readiness, ordering }));
  const me = useQuery(meQuery);
  const mayAct = me.data?.permissions.includes("flows.act") ?? false;
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
          <HelpNote name="the columns and readiness" read={readMeanings} width={340} />
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
        isStacked
        what="consumer groups"
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
        columns={GROUP_COLUMNS}
        ordered={GROUP_ORDERS}
        rowId={(group) => group.group}
        sort={ordering}
        onSort={(next) => change({ groups_sort: next === DEFAULT_ORDER ? undefined : next })}
      >
        {(group) => <GroupRows key={group.group} flow={flow} group={group} mayAct={mayAct} />}
      </PagedTable>
      {first !== undefined && first.skipped_total > 0 && (
        <SkippedGroups skipped={first.skipped} total={first.skipped_total} />
      )}
    </Card>
  );
}

const readMeanings = async () => (
  <>
    <MeaningList
      meanings={GROUP_COLUMNS.flatMap(({ label, hint }) => (hint ? [[label, hint] as const] : []))}
    />
    <MeaningList
      meanings={READINESS.map((word) => [capitalized(word), capitalized(READINESS_HINTS[word])])}
    />
  </>
);

function SyncNote({ sync }: { sync: SyncTimes }) {
  if (!sync.enabled) return <>Offsets are not written to the target: group offset sync is off</>;
  return <>Offsets are written to the target every {duration(sync.effective_interval_ms)}</>;
}
