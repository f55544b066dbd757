import { BaseEdge, type Edge, EdgeLabelRenderer, type EdgeProps } from "@xyflow/react";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { edgeLabel, edgeText } from "@/features/replications/topology/graph";
import { pathOf, type Route } from "@/features/replications/topology/routes";
import { useShownFlow } from "@/features/replications/topology/shown";
import { toneOf } from "@/lib/status";
import { useFlowStatus } from "@/live/context";

export interface FlowEdgeData extends Record<string, unknown> {
  route: Route;
  isSelected: boolean;
  /** true: the label is shown only while the flow is selected, under the pointer or not healthy */
  isCrowded: boolean;
  isOver: boolean;
  onSelect: (key: string) => void;
}

export type FlowEdgeType = Edge<FlowEdgeData, "flow">;

/** One direction between two clusters, with its own status and rate. The line changes with the status only. */
export function FlowEdge({ id, data }: EdgeProps<FlowEdgeType>) {
  const status = useFlowStatus(id);
  if (status === undefined || data === undefined) return null;
  const { route, isSelected, isCrowded, isOver } = data;
  const tone = toneOf(status);
  const isNamed = !isCrowded || isSelected || isOver || tone === "bad" || tone === "warn";
  return (
    <>
      <g
        data-tone={tone}
        data-status={status}
        data-selected={isSelected}
        data-over={isOver || undefined}
        className="topology-edge"
      >
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

function EdgeLabel({
  id,
  data: { route, isSelected, isOver, onSelect },
}: {
  id: string;
  data: FlowEdgeData;
}) {
  const flow = useShownFlow(id);
  const isPast = useTimeRange().to_ms !== null;
  if (flow === undefined) return null;
  const text = edgeText(flow, isPast);
  return (
    <button
      type="button"
      className="topology-label nodrag nopan"
      data-tone={toneOf(flow.status)}
      data-over={isOver || undefined}
      aria-pressed={isSelected}
      title={text}
      style={{
        transform: `translate(-50%, -50%) translate(${route.label.x}px, ${route.label.y}px)`,
      }}
      onClick={() => onSelect(id)}
    >
      <span className="visually-hidden">{text}: </span>
      {edgeLabel(flow, isPast)}
    </button>
  );
}
