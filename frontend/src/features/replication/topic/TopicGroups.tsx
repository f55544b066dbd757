import { useDebouncedValue } from "@mantine/hooks";
import { IconUsersGroup } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { topicGroupsQuery } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { TopicAddress } from "@/api/topic";
import type { Group, GroupsOrdering } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import { useTableView } from "@/components/table/useTableView";
import { severity } from "@/features/groups/words";
import type { Tone } from "@/lib/status";
import { wordOf } from "@/lib/words";

const TYPING_MS = 250;

const TONES: Readonly<Record<Group["readiness"], Tone>> = {
  ready: "ok",
  approximate: "warn",
  blocked: "bad",
};

type GroupColumn = OrderedColumn<Group, GroupsOrdering>;

const columnsOf = ({ source, target }: FlowAddress): readonly GroupColumn[] => [
  {
    id: "group",
    label: "Group",
    value: ({ group }) => group,
    cell: ({ group }) => (
      <Link
        to="/replications/$source/$target"
        params={{ source, target }}
        search={({ from, to }) => ({ from, to, tab: "groups" as const, group })}
      >
        {group}
      </Link>
    ),
    ordering: "group",
  },
  {
    id: "readiness",
    label: "Readiness",
    value: ({ readiness }) => severity(readiness),
    cell: ({ readiness }) => <StateBadge tone={TONES[readiness]} word={wordOf(readiness)} />,
    ordering: "readiness",
  },
  {
    id: "state",
    label: "State",
    value: ({ state }) => state,
    cell: ({ state }) => wordOf(state),
    ordering: "state",
  },
  { id: "cause", label: "Cause", value: causeOf, cell: (group) => causeOf(group) ?? "–" },
];

const causeOf = ({ causes }: Group) => causes[0]?.text ?? null;

/** The consumer groups that read the topic on the source, as far as the flow translates them. */
export function TopicGroups({ source, target, topic }: TopicAddress) {
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  const view = useTableView("groups", columns, "group", "topic_groups");
  const [typed, setTyped] = useAddressState("topic_groups_q", "");
  const [q] = useDebouncedValue(typed.trim(), TYPING_MS);
  const answer = useInfiniteQuery(
    topicGroupsQuery({ source, target }, topic, { q, ordering: orderingOf(columns, view.sort) }),
  );
  return (
    <Card
      title="Consumer groups"
      note="that committed offsets of this topic"
      tools={
        <>
          <ListFilter label="Filter by group" value={typed} onChange={(text) => setTyped(text ?? "")} />
          <ColumnTools view={view} />
          <ListCommands list="groups" flow={{ source, target }} filters={{ topic, q }} />
        </>
      }
    >
      <PagedTable
        label="Table of groups of the topic"
        view={view}
        answer={answer}
        rowId={({ group }) => group}
        expected={2}
        empty={
          q === "" ? (
            <EmptyState icon={IconUsersGroup} title="No consumer group of this flow reads the topic">
              Groups appear here when the flow translates their offsets.
            </EmptyState>
          ) : (
            <NoMatch title="No consumer group matches the filter" onClear={() => setTyped("")} />
          )
        }
        ordered={orderedIds(columns)}
      />
    </Card>
  );
}
