import { useDebouncedValue } from "@mantine/hooks";
import { IconChevronRight, IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useId } from "react";
import { type FlowAddress, flowTopicsQuery } from "@/api/queries";
import type { FlowTopic, TopicOrdering } from "@/api/types";
import type { FlowSearch } from "@/app/router";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import type { Column } from "@/components/DataTable";
import { Figure, Unknown } from "@/components/Figure";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { NameText } from "@/components/NameText";
import { PagedTable, rowsOf } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { type ScopedOrders, useScopedOrders } from "@/features/orders/scope/useScopedOrders";
import { PartitionsTable } from "@/features/replication/PartitionsTable";
import { StateFilter } from "@/features/replication/topics/StateFilter";
import { HeldTopics, StatesTable } from "@/features/replication/topics/StatesTable";
import { isTopicState, type ShownState } from "@/features/replication/topics/words";
import { bytesPerSecond, formatCount, milliseconds, recordsPerSecond } from "@/lib/format";

const DEFAULT_SORT = "-throughput";
const TYPING_MS = 250;

const COLUMNS: readonly Column<FlowTopic>[] = [
  { id: "topic", label: "Topic", value: (topic) => topic.topic },
  { id: "remote", label: "Remote topic", value: (topic) => topic.remote_topic },
  { id: "partitions", label: "Partitions", value: (topic) => topic.partitions, isNumber: true },
  { id: "throughput", label: "Throughput", value: (topic) => topic.bytes_per_second, isNumber: true },
  { id: "records", label: "Records", value: (topic) => topic.records_per_second, isNumber: true },
  { id: "p95", label: "Latency p95", value: (topic) => topic.latency_p95_ms, isNumber: true },
  { id: "lag", label: "Lag", value: (topic) => topic.lag_offsets, isNumber: true },
];

/** The fields by which the service can order topics; the others only order what is shown. */
const ORDERINGS: Readonly<Record<string, Exclude<TopicOrdering, `-${string}`>>> = {
  topic: "topic",
  throughput: "bytes_per_second",
  records: "records_per_second",
  p95: "latency_p95_ms",
  lag: "lag_offsets",
};

function orderingOf(sort: string): TopicOrdering | undefined {
  const field = ORDERINGS[sort.replace(/^-/, "")];
  if (field === undefined) return undefined;
  return sort.startsWith("-") ? `-${field}` : field;
}

/** The command of the list that is shown. */
function listOf(flow: FlowAddress, state: ShownState | undefined, q: string) {
  if (state === "held") return <ListCommands list="pauses" flow={flow} />;
  if (state === undefined) return <ListCommands list="topics" flow={flow} filters={{ q }} />;
  return <ListCommands list="topic states" flow={flow} filters={{ state, search: q }} />;
}

const count = (value: number) => ({ value: formatCount(value), unit: "" });

interface TopicRowsProps {
  flow: FlowAddress;
  topic: FlowTopic;
  isOpen: boolean;
  onToggle: () => void;
  orders: Pick<ScopedOrders, "menu" | "choose">;
}

/** A topic, and below it its partitions after a press of its name. */
function TopicRows({ flow, topic, isOpen, onToggle, orders }: TopicRowsProps) {
  const detailsId = useId();
  return (
    <>
      <TopicRow topic={topic} isOpen={isOpen} onToggle={onToggle} orders={orders} detailsId={detailsId} />
      {isOpen && (
        <tr id={detailsId} className="detail-row">
          <td colSpan={COLUMNS.length}>
            <Link
              to="/replications/$source/$target/topics/$topic"
              params={{ source: flow.source, target: flow.target, topic: topic.topic }}
              search={(search) => ({ from: search.from, to: search.to })}
              className="topic-open"
            >
              Charts, configs, groups and gaps of {topic.topic}
            </Link>
            <PartitionsTable flow={flow} topic={topic.topic} orders={orders} />
          </td>
        </tr>
      )}
    </>
  );
}

function TopicRow({
  topic,
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
        <Figure value={topic.bytes_per_second} as={bytesPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={topic.records_per_second} as={recordsPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={topic.latency_p95_ms} as={milliseconds} />
      </td>
      <td className="numeric">
        <Figure value={topic.lag_offsets} as={count} />
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
  } = useSearch({
    from: "/replications/$source/$target",
  });
  const chosen = isTopicState(state) ? state : undefined;
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const answer = useInfiniteQuery(flowTopicsQuery(flow, asked, orderingOf(sort)));
  const topics = rowsOf(answer);
  const orders = useScopedOrders(flow);
  const change = (query: Pick<FlowSearch, "topic" | "sort" | "open" | "state">): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  return (
    <Card
      title="Topics"
      note={chosen === undefined && topics && `${topics.length}${answer.hasNextPage ? "+" : ""} copied`}
      tools={
        <>
          <ListFilter label="Filter by topic" value={q} onChange={(topic) => change({ topic })} />
          {listOf(flow, chosen, asked)}
        </>
      }
    >
      {orders.panel}
      <StateFilter flow={flow} chosen={chosen} onChoose={(next) => change({ state: next })} />
      {chosen === "held" && <HeldTopics flow={flow} q={asked} />}
      {chosen !== undefined && chosen !== "held" && <StatesTable flow={flow} state={chosen} q={asked} />}
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
              <NoMatch
                title="No topic matches the filter"
                clear="Clear the filter"
                onClear={() => change({ topic: undefined })}
              />
            )
          }
          columns={COLUMNS}
          rowId={(topic) => topic.topic}
          sort={sort}
          onSort={(next) => change({ sort: next === DEFAULT_SORT ? undefined : next })}
        >
          {(topic) => (
            <TopicRows
              key={topic.topic}
              flow={flow}
              topic={topic}
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
