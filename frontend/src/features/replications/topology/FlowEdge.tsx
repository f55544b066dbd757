import { VisuallyHidden } from "@mantine/core";
import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { pathOf, type Route } from "@/features/replications/topology/layout";
import { useShownFlow } from "@/features/replications/topology/shown";
import { bytesPerSecond, joined } from "@/lib/format";
import { statusWord, toneOf } from "@/lib/status";
import { useFlowStatus } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

export interface FlowEdgeData extends Record<string, unknown> {
  route: Route;
  isSelected: boolean;
  /** true: the label is shown only while the flow is selected or not healthy */
  isCrowded: boolean;
  onSelect: (key: string) => void;
}

export type FlowEdgeType = Edge<FlowEdgeData, "flow">;

/** One direction between two clusters, with its own status and rate. The line changes with the status only. */
export function FlowEdge({ id, data }: EdgeProps<FlowEdgeType>) {
  const status = useFlowStatus(id);
  if (status === undefined || data === undefined) return null;
  const { route, isSelected, isCrowded } = data;
  const tone = toneOf(status);
  const isNamed = !isCrowded || isSelected || tone === "bad" || tone === "warn";
  return (
    <>
      <g data-tone={tone} data-status={status} data-selected={isSelected} className="topology-edge">
        <BaseEdge id={id} path={pathOf(route.points)} markerEnd={`url(#topology-arrow-${tone})`} />
      </g>
      {isNamed && (
        <EdgeLabelRenderer>
          <EdgeLabel id={id} data={data} />
        </EdgeLabelRenderer>
      )}
    </>
  );
}

function EdgeLabel({ id, data: { route, isSelected, onSelect } }: { id: string; data: FlowEdgeData }) {
  const flow = useShownFlow(id);
  if (flow === undefined) return null;
  return (
    <button
      type="button"
      className="topology-label nodrag nopan"
      data-tone={toneOf(flow.status)}
      aria-pressed={isSelected}
      title={described(flow)}
      style={{
        transform: `translate(-50%, -50%) translate(${route.label.x}px, ${route.label.y}px)`,
      }}
      onClick={() => onSelect(id)}
    >
      <VisuallyHidden>{described(flow)}: </VisuallyHidden>
      {labelOf(flow)}
    </button>
  );
}

/** The rate, all that changes each second; the status of a flow that has none, or that needs attention. */
function labelOf(flow: FlowRow): string {
  const isMoving =
    flow.bytes_per_second !== null && (flow.status === "healthy" || flow.status === "degraded");
  return isMoving ? joined(bytesPerSecond(flow.bytes_per_second ?? 0)) : statusWord(flow.status);
}

function described(flow: FlowRow): string {
  const reason = flow.status === "healthy" || !flow.reason ? "" : `: ${flow.reason}`;
  return `${flow.source} to ${flow.target}, ${flow.status}${reason}`;
}
