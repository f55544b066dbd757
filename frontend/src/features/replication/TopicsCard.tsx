import { useDebouncedValue } from "@mantine/hooks";
import { IconListSearch } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FlowAddress, flowTopicsQuery } from "@/api/queries";
import type { FlowTopic } from "@/api/types";
import { Card } from "@/components/Card";
import type { Column } from "@/components/DataTable";
import { Figure } from "@/components/Figure";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable, rowsOf } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
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

const count = (value: number) => ({ value: formatCount(value), unit: "" });

function TopicRow({ topic }: { topic: FlowTopic }) {
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {topic.topic}
      </th>
      <td className="topic-cell muted">{topic.remote_topic}</td>
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
  const { topic: q = "", sort = DEFAULT_SORT } = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const [asked] = useDebouncedValue(q, TYPING_MS);
  const answer = useInfiniteQuery(flowTopicsQuery(flow, asked));
  const topics = rowsOf(answer);
  const change = (query: { topic?: string | undefined; sort?: string | undefined }): void =>
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  return (
    <Card
      title="Topics"
      note={topics && `${topics.length}${answer.hasNextPage ? "+" : ""}`}
      tools={<ListFilter label="Filter by topic" value={q} onChange={(topic) => change({ topic })} />}
    >
      <PagedTable
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
        {(topic) => <TopicRow key={topic.topic} topic={topic} />}
      </PagedTable>
    </Card>
  );
}
