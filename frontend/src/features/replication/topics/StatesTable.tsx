import { IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import { topicStatesQuery } from "@/api/topic";
import type { TopicState, TopicStateOrdering, TopicStateWord } from "@/api/types";
import { Unknown } from "@/components/Figure";
import { NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { type TableView, useTableView } from "@/components/table/useTableView";
import { PausedTopics } from "@/features/replication/control/lists";
import { TopicStatesNote } from "@/features/replication/topics/StateFilter";
import { TopicLink } from "@/features/replication/topics/TopicLink";
import {
  type ShownState,
  STATE_HINTS,
  STATE_TONES,
  topicStateWord,
} from "@/features/replication/topics/words";
import { wordOf } from "@/lib/words";

type StateColumn = OrderedColumn<TopicState, TopicStateOrdering>;

const columnsOf = (flow: FlowAddress): readonly StateColumn[] => [
  {
    id: "topic",
    label: "Topic",
    value: ({ topic }) => topic,
    cell: ({ topic, state }) =>
      state === "replicated" || state === "departed" ? (
        <TopicLink {...flow} topic={topic} />
      ) : (
        <NameText name={topic} />
      ),
    cellClass: "topic-cell",
    ordering: "topic",
  },
  {
    id: "state",
    label: "State",
    note: <TopicStatesNote />,
    value: ({ state }) => state,
    cell: ({ state }) => <StateBadge tone={STATE_TONES[state]} word={wordOf(state)} />,
    ordering: "state",
  },
  {
    id: "remote",
    label: "Remote topic",
    hint: "Its name on the target",
    value: ({ remote }) => remote,
    cell: ({ remote }) => (remote === null ? <Unknown why="none" /> : <NameText name={remote} />),
    cellClass: "topic-cell muted",
    ordering: "remote",
  },
  {
    id: "partitions",
    label: "Partitions",
    value: ({ partitions }) => partitions,
    cell: ({ partitions }) => partitions ?? <Unknown />,
    isNumber: true,
    ordering: "partitions",
  },
  {
    id: "reason",
    label: "Why",
    hint: "Why the topic is in this state",
    value: ({ reason }) => reason,
    cell: ({ reason }) => reason ?? "–",
    cellClass: "topic-reason",
    ordering: "reason",
  },
];

/** The order and the columns of the topics in one state. */
export function useStatesView({ source, target }: FlowAddress): TableView<StateColumn> {
  const columns = useMemo(() => columnsOf({ source, target }), [source, target]);
  return useTableView("topics", columns, "topic", "states");
}

interface StatesTableProps {
  flow: FlowAddress;
  state: TopicStateWord;
  q: string;
  view: TableView<StateColumn>;
  onClear: () => void;
}

/** The topics of the source in one state, with the reason; the control worker of the target answers. */
export function StatesTable({ flow, state, q, view, onClear }: StatesTableProps) {
  const answer = useInfiniteQuery({
    ...topicStatesQuery(flow, state, q, orderingOf(view.all, view.sort)),
    retry: false,
  });
  return (
    <>
      {(state === "denied" || state === "available") && <ChangePatterns {...flow} />}
      <PagedTable
        view={view}
        label={`Table of ${state} topics`}
        answer={answer}
        expected={4}
        empty={
          q === "" ? (
            <NoTopic state={state} />
          ) : (
            <NoMatch title="No topic matches the filter" onClear={onClear} />
          )
        }
        ordered={orderedIds(view.all)}
        rowId={({ topic }) => topic}
      />
    </>
  );
}

/** The way to the patterns of the flow, for those who may change them. */
function ChangePatterns({ source, target }: FlowAddress) {
  const mayChange = useMay("flows.change");
  if (!mayChange) return null;
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
export function HeldTopics({ flow, q, onClear }: Omit<StatesTableProps, "state" | "view">) {
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
