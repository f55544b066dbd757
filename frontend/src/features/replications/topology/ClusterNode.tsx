import { IconArrowDown, IconArrowUp, IconServer2 } from "@tabler/icons-react";
import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
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
      <span className="topology-cluster-name" title={alias}>
        <IconServer2 size={15} aria-hidden />
        <span>{alias}</span>
      </span>
      <span className="topology-cluster-traffic">
        <Rate value={into} Icon={IconArrowDown} what="in" />
        <Rate value={from} Icon={IconArrowUp} what="out" />
      </span>
      <Handle type="source" position={Position.Right} isConnectable={false} />
    </div>
  );
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
