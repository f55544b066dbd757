import { useDebouncedValue } from "@mantine/hooks";
import { IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useId } from "react";
import { type FlowAddress, flowTopicsQuery } from "@/api/queries";
import type { FlowSearch } from "@/app/router";
import { ListCommands } from "@/components/by-hand/ListCommands";
import type { ListFilters } from "@/components/by-hand/lists";
import { Card } from "@/components/Card";
import { useServiceOf } from "@/components/flow/service";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable, rowsOf } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { StatisticChoice } from "@/components/table/columns/StatisticChoice";
import { type Statistic, statisticIn } from "@/components/table/columns/statistic";
import { Expander } from "@/components/table/opened/Expander";
import { orderedIds } from "@/components/table/ordering";
import { useTableView } from "@/components/table/useTableView";
import { type ScopedOrders, useScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PartitionsTable, usePartitionsView } from "@/features/replication/PartitionsTable";
import { topicColumns, topicOrdering } from "@/features/replication/topics/columns";
import { StateFilter } from "@/features/replication/topics/StateFilter";
import { HeldTopics, StatesTable, useStatesView } from "@/features/replication/topics/StatesTable";
import { isTopicState, type ShownState } from "@/features/replication/topics/words";
import { type TimeRange, windowAt } from "@/lib/range";

const DEFAULT_SORT = "-throughput";
const TYPING_MS = 250;

/** The command of the list that is shown. */
function listOf(flow: FlowAddress, state: ShownState | undefined, q: string, shown: ListFilters) {
  if (state === "held") return null;
  if (state === undefined) return <ListCommands list="topics" flow={flow} filters={{ q, ...shown }} />;
  return <ListCommands list="topic states" flow={flow} filters={{ state, search: q }} />;
}

/** The order and the statistic that are shown, for the request and the files of the list. */
function filtersOf(ordering: string | undefined, statistic: Statistic, range: TimeRange): ListFilters {
  if (statistic === "now") return { ordering };
  const { from_ms, to_ms } = windowAt(range, Date.now());
  return { ordering, statistic, from_ms: String(from_ms), to_ms: String(to_ms) };
}

interface TopicNameProps {
  topic: string;
  rows: OpenTopic;
  orders: Pick<ScopedOrders, "menu" | "choose">;
}

/** The name of a topic, which opens its partitions below it, with its orders. */
function TopicName({ topic, rows, orders }: TopicNameProps) {
  const scope = { topic, partition: null };
  return (
    <>
      {orders.choose(scope)}
      <Expander
        isOpen={rows.open === topic}
        onToggle={() => rows.toggle(topic)}
        controls={`${rows.id}${topic}`}
      >
        <span>
          <NameText name={topic} />
        </span>
      </Expander>
      {orders.menu(scope)}
    </>
  );
}

interface OpenTopic {
  /** the topic whose partitions are shown */
  open: string | undefined;
  toggle: (topic: string) => void;
  /** the start of the ids of details */
  id: string;
}

interface TopicDetailsProps {
  flow: FlowAddress;
  topic: string;
  orders: Pick<ScopedOrders, "menu" | "choose">;
}

/** The partitions of a topic. */
function TopicDetails({ flow, topic, orders }: TopicDetailsProps) {
  const isPast = useTimeRange().to_ms !== null;
  const view = usePartitionsView(topic, orders);
  return (
    <>
      <div className="topic-open">
        <Link
          to="/replications/$source/$target/topics/$topic"
          params={{ source: flow.source, target: flow.target, topic }}
          search={(search) => ({ from: search.from, to: search.to })}
        >
          Charts, configs, groups and gaps of {topic}
        </Link>
        <ColumnTools view={view} />
        {isPast && <span className="muted">The partitions are those of now.</span>}
      </div>
      <PartitionsTable flow={flow} topic={topic} view={view} />
    </>
  );
}

export function TopicsCard(flow: FlowAddress) {
  const { topic: q = "", open, state, stat } = useSearch({ from: "/replications/$source/$target" });
  const isElsewhere = useServiceOf(flow) !== null;
  const chosen = !isElsewhere && isTopicState(state) ? state : undefined;
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const range = useTimeRange();
  const statistic = statisticIn(stat, range);
  const orders = useScopedOrders(flow, asked);
  const rows: OpenTopic = {
    open,
    toggle: (topic) => change({ open: open === topic ? undefined : topic }),
    id: useId(),
  };
  const columns = topicColumns(statistic, ({ topic }) => (
    <TopicName topic={topic} rows={rows} orders={orders} />
  ));
  const view = useTableView("topics", columns, DEFAULT_SORT);
  const states = useStatesView(flow);
  const ordering = topicOrdering(view.sort, statistic);
  const answer = useInfiniteQuery(
    flowTopicsQuery(flow, asked, ordering, statistic === "now" ? undefined : { range, statistic }),
  );
  const topics = rowsOf(answer);
  const filters = filtersOf(ordering, statistic, range);
  const clear = () => change({ topic: undefined });
  const change = (query: Pick<FlowSearch, "topic" | "open" | "state" | "stat">): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  return (
    <Card
      title="Topics"
      note={chosen === undefined && topics && `${topics.length}${answer.hasNextPage ? "+" : ""} copied`}
      tools={
        <>
          {chosen === undefined && (
            <StatisticChoice value={statistic} onChange={(next) => change({ stat: next })} />
          )}
          <ListFilter label="Filter by topic" value={q} onChange={(topic) => change({ topic })} />
          {chosen !== "held" && <ColumnTools view={chosen === undefined ? view : states} />}
          {listOf(flow, chosen, asked, filters)}
        </>
      }
    >
      {orders.panel}
      {!isElsewhere && (
        <StateFilter flow={flow} chosen={chosen} onChoose={(next) => change({ state: next })} />
      )}
      {chosen === "held" && <HeldTopics flow={flow} q={asked} onClear={clear} />}
      {chosen !== undefined && chosen !== "held" && (
        <StatesTable flow={flow} state={chosen} q={asked} view={states} onClear={clear} />
      )}
      {chosen === undefined && orders.chooseTopics((topics ?? []).map(({ topic }) => topic))}
      {chosen === undefined && (
        <PagedTable
          view={view}
          answer={answer}
          expected={4}
          empty={
            asked === "" ? (
              <EmptyState icon={IconListSearch} title="No topic is copied by this flow yet">
                Topics appear here as soon as the allow list of the flow matches one of the source cluster.
              </EmptyState>
            ) : (
              <NoMatch title="No topic matches the filter" onClear={clear} />
            )
          }
          ordered={orderedIds(columns)}
          rowId={({ topic }) => topic}
        >
          {({ topic }, cells) => (
            <>
              <tr>{cells}</tr>
              {open === topic && (
                <tr id={`${rows.id}${topic}`} className="detail-row">
                  <td colSpan={view.columns.length}>
                    <TopicDetails flow={flow} topic={topic} orders={orders} />
                  </td>
                </tr>
              )}
            </>
          )}
        </PagedTable>
      )}
    </Card>
  );
}
