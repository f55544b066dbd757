import { IconArrowsLeftRight } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { PartialNote, StaleNote } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Figure } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { StatusBadge } from "@/components/StatusBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { stackedLabels } from "@/components/table/stacked";
import { discoveredQuery, flowsOfQuery } from "@/features/clusters/requests";
import { bytesPerSecond } from "@/lib/format";
import { age, duration } from "@/lib/time";
import { useNow } from "@/live/context";

const LABELS = stackedLabels(["Source and target", "Status", "Throughput", "Heartbeat"]);

const WORDS = {
  target: { title: "Flows in", none: "No flow writes into this cluster" },
  source: { title: "Flows out", none: "No flow reads from this cluster" },
};

/** The flows into or out of a cluster, with the age of their heartbeats. */
export function FlowsOfCluster({ side, alias }: { side: "source" | "target"; alias: string }) {
  const { data, error, refetch, dataUpdatedAt } = useQuery(flowsOfQuery(side, alias));
  const { title, none } = WORDS[side];
  const label = `Table of ${title.toLowerCase()}`;
  return (
    <Card
      title={title}
      note={data?.items.length}
      tools={<ListCommands list="flows" side={side} alias={alias} />}
    >
      {data === undefined && error === null && (
        <LoadingRows rows={2} label={`Loading the ${title.toLowerCase()}`} />
      )}
      {data === undefined && error !== null && (
        <ErrorState what={title} error={error} onRetry={() => void refetch()} />
      )}
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
      <PartialNote parts={data?.partial ?? []} />
      {data?.items.length === 0 && <EmptyState icon={IconArrowsLeftRight} title={none} />}
      {data !== undefined && data.items.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
        <section className="table-scroll" aria-label={label} tabIndex={0} style={LABELS}>
          <table className="table stacked">
            <thead>
              <tr>
                <th scope="col">Source and target</th>
                <th scope="col">Status</th>
                <th scope="col" className="numeric">
                  Throughput
                </th>
                <th scope="col" className="numeric">
                  Heartbeat
                </th>
              </tr>
            </thead>
            <tbody>
              {data.items.map((flow) => (
                <tr key={`${flow.source} ${flow.target}`}>
                  <th scope="row" className="flow-cell">
                    <Link
                      to="/replications/$source/$target"
                      params={{ source: flow.source, target: flow.target }}
                    >
                      <FlowName source={flow.source} target={flow.target} />
                    </Link>
                  </th>
                  <td>
                    <StatusBadge status={flow.status} />
                  </td>
                  <td className="numeric">
                    <Figure value={flow.metrics.bytes_per_second.latest} as={bytesPerSecond} />
                  </td>
                  <td className="numeric">
                    <Figure value={flow.metrics.heartbeat_age_ms.latest} as={age} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </Card>
  );
}

/** Flows of other programs, known by the heartbeats that they write into this cluster. */
export function DiscoveredCard({ alias }: { alias: string }) {
  const { data } = useQuery(discoveredQuery);
  const now_ms = useNow();
  const found = data?.items.filter((flow) => flow.target === alias) ?? [];
  const unread = data?.partial.find((part) => part.peer === alias);
  return (
    <Card title="Heartbeats of other programs" note="flows that are not registered here">
      <div className="card-body">
        {unread !== undefined && <p className="muted">The heartbeats could not be read: {unread.error}</p>}
        {found.length === 0 && unread === undefined && (
          <p className="muted">No heartbeat of the last day comes from a flow that is not registered here.</p>
        )}
        <ul className="connection-rights">
          {found.map((flow) => (
            <li key={`${flow.source} ${flow.named_target}`}>
              <FlowName source={flow.source} target={flow.named_target} />, last heartbeat{" "}
              {duration(now_ms - flow.heartbeat_ms)} ago
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
