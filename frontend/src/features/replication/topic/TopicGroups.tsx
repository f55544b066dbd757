import { IconUsersGroup } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { topicGroupsQuery } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { TopicAddress } from "@/api/topic";
import type { Group } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import type { CellColumn } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import type { Tone } from "@/lib/status";
import { wordOf } from "@/lib/words";

const TONES: Readonly<Record<Group["readiness"], Tone>> = {
  ready: "ok",
  approximate: "warn",
  blocked: "bad",
};

const columnsOf = ({ source, target }: FlowAddress): readonly CellColumn<Group>[] => [
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
  },
  {
    id: "readiness",
    label: "Readiness",
    value: ({ readiness }) => readiness,
    cell: ({ readiness }) => <StateBadge tone={TONES[readiness]} word={wordOf(readiness)} />,
  },
  { id: "state", label: "State", value: ({ state }) => state, cell: ({ state }) => wordOf(state) },
  { id: "cause", label: "Cause", value: causeOf, cell: (group) => causeOf(group) ?? "–" },
];

const causeOf = ({ causes }: Group) => causes[0]?.text ?? null;

/** The consumer groups that read the topic on the source, as far as the flow translates them. */
export function TopicGroups({ source, target, topic }: TopicAddress) {
  const answer = useInfiniteQuery(topicGroupsQuery({ source, target }, topic));
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  const view = useTableView("groups", columns, "group", "topic_groups");
  return (
    <Card
      title="Consumer groups"
      note="that committed offsets of this topic"
      tools={
        <>
          <ColumnMenu {...view} />
          <ListCommands list="groups" flow={{ source, target }} filters={{ topic }} />
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
          <EmptyState icon={IconUsersGroup} title="No consumer group of this flow reads the topic">
            Groups appear here when the flow translates their offsets.
          </EmptyState>
        }
      />
    </Card>
  );
}
