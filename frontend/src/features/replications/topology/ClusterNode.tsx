import { IconArrowDown, IconArrowUp, IconCloud, IconServer2 } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";
import { seldomClustersQuery } from "@/api/queries";
import type { Cluster } from "@/api/types";
import { trafficOf } from "@/features/replications/topology/graph";
import { useShownFlows } from "@/features/replications/topology/shown";
import { bytesPerSecond, joined } from "@/lib/format";

export type ClusterNodeType = Node<{ alias: string }, "cluster">;

/** The card of a cluster: its name, and the bytes per second that arrive and leave. */
export function ClusterNode({ data: { alias } }: NodeProps<ClusterNodeType>) {
  const { into, from } = trafficOf(alias, useShownFlows());
  return (
    <div className="topology-cluster">
      <Handle type="target" position={Position.Left} isConnectable={false} />
      <ClusterName alias={alias} />
      <span className="topology-cluster-traffic">
        <Rate value={into} Icon={IconArrowDown} what="in" />
        <Rate value={from} Icon={IconArrowUp} what="out" />
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
}

/** The name, with where the cluster is and if it answered its last check; neither is shown until it is read. */
const ClusterName = memo(function ClusterName({ alias }: { alias: string }) {
  const { data: cluster } = useQuery({
    ...seldomClustersQuery,
    select: ({ items }) => items.find((cluster) => cluster.alias === alias),
  });
  return (
    <span className="topology-cluster-name" title={alias}>
      {cluster === undefined ? <IconServer2 size={15} aria-hidden /> : <Place {...cluster} />}
      <span>{alias}</span>
      {cluster !== undefined && <Reached {...cluster} />}
    </span>
  );
});

/** A cloud for an external cluster, a server for one beside the service. */
function Place({ location }: Cluster) {
  const isExternal = location === "external";
  const Icon = isExternal ? IconCloud : IconServer2;
  return (
    <span className="topology-place" title={isExternal ? "External cluster" : "Co-located cluster"}>
      <Icon size={15} aria-label={isExternal ? "external" : "co-located"} />
    </span>
  );
}

function Reached(cluster: Cluster) {
  const { tone, word } = reachedOf(cluster);
  return <span className="topology-reached" data-tone={tone} role="img" aria-label={word} title={word} />;
}

function reachedOf({ problem, reachable }: Cluster) {
  if (problem !== "") return { tone: "bad", word: "cannot be used" };
  if (reachable === false) return { tone: "bad", word: "unreachable" };
  return reachable === null ? { tone: "idle", word: "not checked now" } : { tone: "ok", word: "reachable" };
}

function Rate({ value, Icon, what }: { value: number | null; Icon: typeof IconArrowDown; what: string }) {
  if (value === null) return null;
  return (
    <span title={`Bytes per second ${what}`}>
      <Icon size={12} aria-label={what} />
      {joined(bytesPerSecond(value))}
    </span>
  );
}
