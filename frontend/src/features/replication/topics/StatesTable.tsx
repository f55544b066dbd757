import { IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type FlowAddress, meQuery } from "@/api/queries";
import { topicStatesQuery } from "@/api/topic";
import type { TopicState, TopicStateOrdering, TopicStateWord } from "@/api/types";
import { Unknown } from "@/components/Figure";
import { NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import { PausedTopics } from "@/features/replication/control/lists";
import { wordOf } from "@/features/replication/states";
import { TopicLink } from "@/features/replication/topics/TopicLink";
import {
  type ShownState,
  STATE_HINTS,
  STATE_TONES,
  topicStateWord,
} from "@/features/replication/topics/words";

const COLUMNS: readonly OrderedColumn<TopicState, TopicStateOrdering>[] = [
  { id: "topic", label: "Topic", value: ({ topic }) => topic, ordering: "topic" },
  { id: "state", label: "State", value: ({ state }) => state, ordering: "state" },
  { id: "remote", label: "Remote topic", value: ({ remote }) => remote, ordering: "remote" },
  {
    id: "partitions",
    label: "Partitions",
    value: ({ partitions }) => partitions,
    isNumber: true,
    ordering: "partitions",
  },
  { id: "reason", label: "Why", value: ({ reason }) => reason, ordering: "reason" },
];
const ORDERED = orderedIds(COLUMNS);

interface StatesTableProps {
  flow: FlowAddress;
  state: TopicStateWord;
  q: string;
  onClear: () => void;
}

/** The topics of the source in one state, with the reason; the control worker of the target answers. */
export function StatesTable({ flow, state, q, onClear }: StatesTableProps) {
  const [sort, setSort] = useAddressState("states_sort", "topic");
  const answer = useInfiniteQuery({
    ...topicStatesQuery(flow, state, q, orderingOf(COLUMNS, sort)),
    retry: false,
  });
  return (
    <>
      {(state === "denied" || state === "available") && <ChangePatterns {...flow} />}
      <PagedTable
        isStacked
        what={`${state} topics`}
        answer={answer}
        expected={4}
        empty={
          q === "" ? (
            <NoTopic state={state} />
          ) : (
            <NoMatch title="No topic matches the filter" onClear={onClear} />
          )
        }
        columns={COLUMNS}
        ordered={ORDERED}
        rowId={({ topic }) => topic}
        sort={sort}
        onSort={setSort}
      >
        {({ topic, state: own, remote, partitions, reason }) => (
          <tr key={topic}>
            <th scope="row" className="topic-cell">
              {own === "replicated" || own === "departed" ? (
                <TopicLink {...flow} topic={topic} />
              ) : (
                <NameText name={topic} />
              )}
            </th>
            <td>
              <StateBadge tone={STATE_TONES[own]} word={wordOf(own)} />
            </td>
            <td className="topic-cell muted">
              {remote === null ? <Unknown why="none" /> : <NameText name={remote} />}
            </td>
            <td className="numeric">{partitions ?? <Unknown />}</td>
            <td className="topic-reason">{reason ?? "–"}</td>
          </tr>
        )}
      </PagedTable>
    </>
  );
}

/** The way to the patterns of the flow, for those who may change them. */
function ChangePatterns({ source, target }: FlowAddress) {
  const me = useQuery(meQuery);
  if (!me.data?.permissions.includes("flows.change")) return null;
  return (
    <p className="control-none">
      To copy one of these topics, change{" "}
      <Link to="/configuration" search={{ at: `flow:${source}->${target}`, q: "topics" }}>
        the patterns of the flow
      </Link>
      : the review lists what is copied then, before anything is applied.
    </p>
  );
}

/** Topics and partitions that are paused. */
export function HeldTopics({ flow, q, onClear }: Omit<StatesTableProps, "state">) {
  const empty =
    q === "" ? (
      <NoTopic state="held" />
    ) : (
      <NoMatch title="No paused topic matches the filter" onClear={onClear} />
    );
  return <PausedTopics flow={flow} q={q} empty={empty} />;
}

function NoTopic({ state }: { state: ShownState }) {
  return (
    <EmptyState icon={IconListSearch} title={`No topic is ${topicStateWord(state).toLowerCase()}`}>
      {STATE_HINTS[state]}.
    </EmptyState>
  );
}
