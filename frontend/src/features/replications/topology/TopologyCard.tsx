import { Button } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconRoute } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useCallback, useMemo, useState } from "react";
import { Card } from "@/components/Card";
import { EmptyState, LoadingRows } from "@/components/states";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { FlowsWaiting } from "@/features/replications/FlowsWaiting";
import { type Graph, graphOf } from "@/features/replications/topology/graph";
import { useAsOf } from "@/features/replications/useAsOf";
import { formatCount, plural } from "@/lib/format";
import { countByStatus, statusWord, toneOf } from "@/lib/status";
import { lazyPart } from "@/lib/view/lazy-part";
import { NARROW } from "@/lib/view/screen";
import { useMembers } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

const UnconnectedClusters = lazyPart(() => import("@/features/replications/topology/UnconnectedClusters"));
const TopologyGraph = lazyPart(() => import("@/features/replications/topology/TopologyGraph"));

/** The flow that table and graph have selected together. */
export function useSelectedFlow(): [string | undefined, (key: string) => void] {
  const { flow } = useSearch({ from: "/replications" });
  const navigate = useNavigate();
  const select = useCallback(
    (key: string): void => {
      const toggled = (before: { flow?: string | undefined }) => (before.flow === key ? undefined : key);
      void navigate({
        to: ".",
        search: (before: { flow?: string | undefined }) => ({ ...before, flow: toggled(before) }),
        replace: true,
        resetScroll: false,
      });
    },
    [navigate],
  );
  return [flow, select];
}

/** A graph of more clusters is not read at a glance, and costs every second: it is drawn on request. */
const MOST_CLUSTERS = 60;

/** Clusters and flows as a graph. The table lists every flow of it. Phones show only cards of the flows. */
export function TopologyCard() {
  const flows = useMembers();
  const [selected, select] = useSelectedFlow();
  const [isWanted, setWanted] = useState(false);
  const keys = flows?.map((flow) => flow.key).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the graph changes with the set of flows only
  const graph = useMemo(() => (flows === null ? null : graphOf(flows)), [keys]);
  const isNarrow = useMediaQuery(NARROW);
  const asOf = useAsOf();
  if (isNarrow || (flows !== null && flows.length === 0)) return null;
  return (
    <Card
      className="topology"
      title="Topology"
      note={graph === null ? undefined : (asOf ?? <Extent graph={graph} />)}
      tools={flows === null ? undefined : <Legend flows={flows} />}
    >
      <div className="topology-canvas">
        {graph === null ? (
          <FlowsWaiting what="The topology" rows={7} />
        ) : graph.clusters.length > MOST_CLUSTERS && !isWanted ? (
          <LargeTopology graph={graph} onDraw={() => setWanted(true)} />
        ) : (
          <Suspense fallback={<LoadingRows rows={7} label="Loading the topology" />}>
            <TopologyGraph graph={graph} selected={selected} onSelect={select} />
          </Suspense>
        )}
      </div>
    </Card>
  );
}

function Extent({ graph }: { graph: Graph }) {
  const isPast = useTimeRange().to_ms !== null;
  return (
    <>
      {plural(graph.clusters.length, "cluster")}
      <Suspense fallback={null}>
        <UnconnectedClusters connected={graph.clusters} />
      </Suspense>
      {isPast && "; statuses of now"}
    </>
  );
}

function LargeTopology({ graph, onDraw }: { graph: Graph; onDraw: () => void }) {
  const draw = (
    <Button size="xs" variant="default" onClick={onDraw}>
      Draw the topology
    </Button>
  );
  return (
    <EmptyState
      icon={IconRoute}
      title={`${plural(graph.clusters.length, "cluster")} in one picture`}
      action={draw}
    >
      The table below has all {formatCount(graph.flows.length)} flows, with filters by cluster and status.
    </EmptyState>
  );
}

/** The status words that the lines of the graph have now, in the order of the tile of statuses. */
function Legend({ flows }: { flows: readonly FlowRow[] }) {
  const statuses = countByStatus(flows.map((flow) => flow.status));
  return (
    <ul className="topology-legend">
      {statuses.map(({ status }) => (
        <li key={status} data-tone={toneOf(status)}>
          {statusWord(status)}
        </li>
      ))}
    </ul>
  );
}
