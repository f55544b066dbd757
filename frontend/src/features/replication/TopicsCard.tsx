import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronRight, IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useId } from "react";
import { type FlowAddress, flowTopicsQuery } from "@/api/queries";
import type { FlowTopic } from "@/api/types";
import type { FlowSearch } from "@/app/router";
import { ListCommands } from "@/components/by-hand/ListCommands";
import type { ListFilters } from "@/components/by-hand/lists";
import { Card } from "@/components/Card";
import { ColumnsNote } from "@/components/definition/ColumnsNote";
import { Figure, Unknown } from "@/components/Figure";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable, rowsOf } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { StatisticChoice } from "@/components/table/StatisticChoice";
import { type Statistic, statisticIn } from "@/components/table/statistic";
import { type ScopedOrders, useScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PartitionsNote, PartitionsTable } from "@/features/replication/PartitionsTable";
import {
  numberOf,
  ORDERED,
  READINGS,
  topicColumns,
  topicOrdering,
} from "@/features/replication/topics/columns";
import { StateFilter } from "@/features/replication/topics/StateFilter";
import { HeldTopics, StatesTable } from "@/features/replication/topics/StatesTable";
import { isTopicState, type ShownState } from "@/features/replication/topics/words";
import { bytesPerSecond, formatCount, milliseconds, records, recordsPerSecond } from "@/lib/format";
import { type TimeRange, windowAt } from "@/lib/range";

const DEFAULT_SORT = "-throughput";
const TYPING_MS = 250;

/** The command of the list that is shown. */
function listOf(flow: FlowAddress, state: ShownState | undefined, q: string, shown: ListFilters) {
  if (state === "held") return <ListCommands list="pauses" flow={flow} filters={{ q }} />;
  if (state === undefined) return <ListCommands list="topics" flow={flow} filters={{ q, ...shown }} />;
  return <ListCommands list="topic states" flow={flow} filters={{ state, search: q }} />;
}

/** The order and the statistic that are shown, for the request and the files of the list. */
function filtersOf(ordering: string | undefined, statistic: Statistic, range: TimeRange): ListFilters {
  if (statistic === "now") return { ordering };
  const { from_ms, to_ms } = windowAt(range, Date.now());
  return { ordering, statistic, from_ms: String(from_ms), to_ms: String(to_ms) };
}

const count = (value: number) => ({ value: formatCount(value), unit: "" });

interface TopicRowsProps {
  flow: FlowAddress;
  topic: FlowTopic;
  statistic: Statistic;
  isOpen: boolean;
  onToggle: () => void;
  orders: Pick<ScopedOrders, "menu" | "choose">;
}

/** A topic, and below it its partitions after a press of its name. */
function TopicRows({ flow, topic, statistic, isOpen, onToggle, orders }: TopicRowsProps) {
  const detailsId = useId();
  const isPast = useTimeRange().to_ms !== null;
  return (
    <>
      <TopicRow
        topic={topic}
        statistic={statistic}
        isOpen={isOpen}
        onToggle={onToggle}
        orders={orders}
        detailsId={detailsId}
      />
      {isOpen && (
        <tr id={detailsId} className="detail-row">
          <td colSpan={topicColumns(statistic).length}>
            <div className="topic-open">
              <Link
                to="/replications/$source/$target/topics/$topic"
                params={{ source: flow.source, target: flow.target, topic: topic.topic }}
                search={(search) => ({ from: search.from, to: search.to })}
              >
                Charts, configs, groups and gaps of {topic.topic}
              </Link>
              <PartitionsNote />
              {isPast && <span className="muted">The partitions are those of now.</span>}
            </div>
            <PartitionsTable flow={flow} topic={topic.topic} orders={orders} />
          </td>
        </tr>
      )}
    </>
  );
}

function TopicRow({
  topic,
  statistic,
  isOpen,
  onToggle,
  orders,
  detailsId,
}: Omit<TopicRowsProps, "flow"> & { detailsId: string }) {
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {orders.choose({ topic: topic.topic, partition: null })}
        <button
          type="button"
          className="expander"
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          onClick={onToggle}
        >
          <IconChevronRight size={16} aria-hidden />
          <span>
            <NameText name={topic.topic} />
          </span>
        </button>
        {orders.menu({ topic: topic.topic, partition: null })}
      </th>
      <td className="topic-cell muted">
        {topic.remote_topic === null ? <Unknown /> : <NameText name={topic.remote_topic} />}
      </td>
      <td className="numeric">
        <Figure value={topic.partitions} as={count} />
      </td>
      <td className="numeric">
        <Figure value={numberOf(topic, READINGS.throughput, statistic)} as={bytesPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={numberOf(topic, READINGS.records, statistic)} as={recordsPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={numberOf(topic, READINGS.p95, statistic)} as={milliseconds} />
      </td>
      <td className="numeric">
        <Figure value={numberOf(topic, READINGS.lag, statistic)} as={records} />
      </td>
    </tr>
  );
}

export function TopicsCard(flow: FlowAddress) {
  const {
    topic: q = "",
    sort = DEFAULT_SORT,
    open,
    state,
    stat,
  } = useSearch({
    from: "/replications/$source/$target",
  });
  const chosen = isTopicState(state) ? state : undefined;
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const range = useTimeRange();
  const statistic = statisticIn(stat, range);
  const answer = useInfiniteQuery(
    flowTopicsQuery(flow, asked, topicOrdering(sort), statistic === "now" ? undefined : { range, statistic }),
  );
  const topics = rowsOf(answer);
  const orders = useScopedOrders(flow);
  const filters = filtersOf(topicOrdering(sort), statistic, range);
  const clear = () => change({ topic: undefined });
  const change = (query: Pick<FlowSearch, "topic" | "sort" | "open" | "state" | "stat">): void =>
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
          {chosen === undefined && <ColumnsNote of="topics" columns={topicColumns(statistic)} />}
          {listOf(flow, chosen, asked, filters)}
        </>
      }
    >
      {orders.panel}
      <StateFilter flow={flow} chosen={chosen} onChoose={(next) => change({ state: next })} />
      {chosen === "held" && <HeldTopics flow={flow} q={asked} onClear={clear} />}
      {chosen !== undefined && chosen !== "held" && (
        <StatesTable flow={flow} state={chosen} q={asked} onClear={clear} />
      )}
      {chosen === undefined && orders.chooseTopics((topics ?? []).map(({ topic }) => topic))}
      {chosen === undefined && (
        <PagedTable
          isStacked
          what="topics"
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
          columns={topicColumns(statistic)}
          ordered={ORDERED}
          rowId={(topic) => topic.topic}
          sort={sort}
          onSort={(next) => change({ sort: next === DEFAULT_SORT ? undefined : next })}
        >
          {(topic) => (
            <TopicRows
              key={topic.topic}
              flow={flow}
              topic={topic}
              statistic={statistic}
              orders={orders}
              isOpen={open === topic.topic}
              onToggle={() => change({ open: open === topic.topic ? undefined : topic.topic })}
            />
          )}
        </PagedTable>
      )}
    </Card>
  );
}
