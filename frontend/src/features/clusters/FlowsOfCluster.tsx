import { IconArrowsLeftRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ListedFlow, Side } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { useNowNote } from "@/components/answer/useNowNote";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Figure } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { StatusBadge } from "@/components/StatusBadge";
import { EmptyState } from "@/components/states";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { discoveredQuery, flowsOfQuery } from "@/features/clusters/requests";
import { bytesPerSecond, count, milliseconds } from "@/lib/format";
import { urgencyText } from "@/lib/status";
import { age, ago } from "@/lib/time";
import { useNow } from "@/live/context";

const FLOW_COLUMNS: readonly CellColumn<ListedFlow>[] = [
  {
    id: "flow",
    label: "Source and target",
    value: ({ source, target }) => `${source} ${target}`,
    cell: ({ source, target }) => (
      <Link to="/replications/$source/$target" params={{ source, target }}>
        <FlowName source={source} target={target} />
      </Link>
    ),
    cellClass: "flow-cell",
  },
  {
    id: "status",
    label: "Status",
    value: ({ status }) => urgencyText(status),
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  {
    id: "throughput",
    label: "Throughput",
    value: ({ metrics }) => metrics.bytes_per_second.latest,
    isNumber: true,
    cell: ({ metrics }) => <Figure value={metrics.bytes_per_second.latest} as={bytesPerSecond} />,
  },
  {
    id: "heartbeat",
    label: "Heartbeat",
    hint: "Age of the newest heartbeat that came through the flow",
    value: ({ metrics }) => metrics.heartbeat_age_ms.latest,
    isNumber: true,
    cell: ({ metrics }) => <Figure value={metrics.heartbeat_age_ms.latest} as={age} />,
  },
  {
    id: "lag",
    label: "Lag",
    hint: "Records of the source that are not copied yet",
    value: ({ metrics }) => metrics.lag_offsets.latest,
    isNumber: true,
    cell: ({ metrics }) => <Figure value={metrics.lag_offsets.latest} as={count} />,
    isExtra: true,
  },
  {
    id: "p95",
    label: "Latency p95",
    hint: "Replication latency: 95% of the records took this long or less",
    value: ({ metrics }) => metrics.replication_latency_ms.p95,
    isNumber: true,
    cell: ({ metrics }) => <Figure value={metrics.replication_latency_ms.p95} as={milliseconds} />,
    isExtra: true,
  },
  {
    id: "topics",
    label: "Topics",
    value: ({ topics }) => topics,
    isNumber: true,
    cell: ({ topics }) => <Figure value={topics} as={count} />,
    isExtra: true,
  },
];

const WORDS = {
  target: { title: "Flows in", none: "No flow writes into this cluster" },
  source: { title: "Flows out", none: "No flow reads from this cluster" },
};

/** The flows into or out of a cluster, with the age of their heartbeats. */
export function FlowsOfCluster({ side, alias }: { side: Side; alias: string }) {
  const answer = useQuery(flowsOfQuery(side, alias));
  const { data } = answer;
  const { title, none } = WORDS[side];
  const what = title.toLowerCase();
  const note = useNowNote(data?.items.length);
  const view = useTableView(what, FLOW_COLUMNS, "flow", side === "target" ? "in" : "out");
  return (
    <Card
      title={title}
      note={note}
      tools={
        <>
          {data !== undefined && data.items.length > 0 && <ColumnMenu {...view} />}
          <ListCommands list="flows" side={side} alias={alias} />
        </>
      }
    >
      <Answered what={what} answer={answer} rows={2}>
        {({ items }) =>
          items.length === 0 ? (
            <EmptyState icon={IconArrowsLeftRight} title={none} />
          ) : (
            <ColumnTable
              label={`Table of ${what}`}
              view={view}
              rows={items}
              rowId={({ source, target }) => `${source} ${target}`}
            />
          )
        }
      </Answered>
    </Card>
  );
}

/** Flows of other programs, known by the heartbeats that they write into this cluster. */
export function DiscoveredCard({ alias }: { alias: string }) {
  const answer = useQuery({
    ...discoveredQuery,
    select: ({ items, partial }) => ({
      found: items.filter((flow) => flow.target === alias),
      unread: partial.find((part) => part.peer === alias),
    }),
  });
  const now_ms = useNow();
  return (
    <Card
      title="Heartbeats of other programs"
      note="flows that are not registered here"
      tools={<ListCommands list="discovered" />}
    >
      <Answered what="heartbeats" answer={answer} rows={1}>
        {({ found, unread }) => (
          <div className="card-body">
            {unread !== undefined && (
              <p className="muted">The heartbeats could not be read: {unread.error}</p>
            )}
            {found.length === 0 && unread === undefined && (
              <p className="muted">
                In the last day, no heartbeat came from a flow that is not registered here.
              </p>
            )}
            {found.length > 0 && (
              <ul className="connection-rights">
                {found.map((flow) => (
                  <li key={`${flow.source} ${flow.named_target}`}>
                    <FlowName source={flow.source} target={flow.named_target} />, last heartbeat{" "}
                    {ago(now_ms - flow.heartbeat_ms)}
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
      </Answered>
    </Card>
  );
}
