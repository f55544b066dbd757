import { IconUsersGroup } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { topicGroupsQuery } from "@/api/groups";
import type { TopicAddress } from "@/api/topic";
import type { Group } from "@/api/types";
import { StaleNote } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { PlainTable } from "@/components/table/PlainTable";
import { wordOf } from "@/features/replication/states";
import type { Tone } from "@/lib/status";

const TONES: Readonly<Record<Group["readiness"], Tone>> = {
  ready: "ok",
  approximate: "warn",
  blocked: "bad",
};

const COLUMNS = ["Group", "Readiness", "State", "Cause"];

/** The consumer groups that read the topic on the source, as far as the flow translates them. */
export function TopicGroups({ source, target, topic }: TopicAddress) {
  const { data, error, refetch, dataUpdatedAt } = useQuery(topicGroupsQuery({ source, target }, topic));
  return (
    <Card
      title="Consumer groups"
      note="that committed offsets of this topic"
      tools={<ListCommands list="groups" flow={{ source, target }} filters={{ topic }} />}
    >
      {data === undefined && error === null && <LoadingRows rows={2} label="Loading the groups" />}
      {data === undefined && error !== null && (
        <ErrorState what="The groups" error={error} onRetry={() => void refetch()} />
      )}
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
      {data?.length === 0 && (
        <EmptyState icon={IconUsersGroup} title="No consumer group of this flow reads the topic">
          Groups appear here when the flow translates their offsets.
        </EmptyState>
      )}
      {data !== undefined && data.length > 0 && (
        <PlainTable label="Table of groups of the topic" headings={COLUMNS} isStacked>
          {data.map((group) => (
            <tr key={group.group}>
              <th scope="row">
                <Link
                  to="/replications/$source/$target"
                  params={{ source, target }}
                  search={(search) => ({
                    from: search.from,
                    to: search.to,
                    tab: "groups" as const,
                    group: group.group,
                  })}
                >
                  {group.group}
                </Link>
              </th>
              <td>
                <StateBadge tone={TONES[group.readiness]} word={wordOf(group.readiness)} />
              </td>
              <td>{wordOf(group.state)}</td>
              <td>{group.causes[0]?.text ?? "–"}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </Card>
  );
}
