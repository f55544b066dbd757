import { Controls, Panel, ReactFlow, type ReactFlowProps, useReactFlow, useStore } from "@xyflow/react";
import "@xyflow/react/dist/base.css";
import { type RefObject, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { useInRange } from "@/features/replications/table/facts";
import { ClusterNode, type ClusterNodeType } from "@/features/replications/topology/ClusterNode";
import { FlowEdge, type FlowEdgeType } from "@/features/replications/topology/FlowEdge";
import type { Graph } from "@/features/replications/topology/graph";
import { CARD, type Layout } from "@/features/replications/topology/routes";
import { InRange } from "@/features/replications/topology/shown";
import "@/features/replications/topology/topology.css";
import { useLayout } from "@/features/replications/topology/useLayout";
import { flowToShow, isShown, isWide, viewOf } from "@/features/replications/topology/view";
import { classesOf } from "@/lib/classes";
import { plural } from "@/lib/format";
import { useLiveStore } from "@/live/context";

const NODE_TYPES = { cluster: ClusterNode };
const EDGE_TYPES = { flow: FlowEdge };
const TONES = ["ok", "warn", "bad", "idle"] as const;
const CROWDED = 60;
const WHOLE = { padding: 0.04, maxZoom: 1 };

interface TopologyGraphProps {
  graph: Graph;
  selected: string | undefined;
  onSelect: (key: string) => void;
}

/** Clusters and flows as a picture. The table below it has the same flows. */
export default function TopologyGraph(props: TopologyGraphProps) {
  const layout = useLayout(props.graph);
  if (layout === null) return <output className="topology-waiting">Arranging the clusters…</output>;
  return <ArrangedGraph {...props} layout={layout} />;
}

function ArrangedGraph({ graph, layout, selected, onSelect }: TopologyGraphProps & { layout: Layout }) {
  const inRange = useInRange();
  const framing = useRef<Framing>("start");
  const nodes = useMemo(() => nodesOf(layout), [layout]);
  const [over, setOver] = useState<string>();
  const edges = useMemo(
    () => edgesOf({ graph, layout, selected, over, onSelect }),
    [graph, layout, selected, over, onSelect],
  );
  // labels of fewer flows are all there, and are the buttons
  const ofPointer: Partial<ReactFlowProps> =
    graph.flows.length > CROWDED
      ? {
          onEdgeMouseEnter: (_event, edge) => setOver(edge.id),
          onEdgeMouseLeave: () => setOver(undefined),
          onEdgeClick: (_event, edge) => onSelect(edge.id),
        }
      : {};
  return (
    <InRange value={inRange}>
      <ReactFlow
        key={Object.keys(layout.clusters).join(" ")}
        nodes={nodes}
        edges={edges}
        nodeTypes={NODE_TYPES}
        edgeTypes={EDGE_TYPES}
        minZoom={0.1}
        maxZoom={2}
        nodesDraggable={false}
        nodesConnectable={false}
        nodesFocusable={false}
        edgesFocusable={false}
        elementsSelectable={false}
        zoomOnScroll={false}
        {...ofPointer}
        className={classesOf(
          graph.flows.length > CROWDED && "topology-crowded",
          isWide(layout) && "topology-wide",
        )}
        preventScrolling={false}
        zoomOnDoubleClick={false}
        onMoveStart={(event) => {
          // fitting has no event
          if (event !== null) framing.current = "moved";
        }}
      >
        <Arrows />
        <Framed layout={layout} selected={selected} framing={framing} />
        <Controls
          showInteractive={false}
          orientation="horizontal"
          fitViewOptions={WHOLE}
          onZoomIn={() => {
            framing.current = "moved";
          }}
          onZoomOut={() => {
            framing.current = "moved";
          }}
          onFitView={() => {
            framing.current = "whole";
          }}
        />
      </ReactFlow>
    </InRange>
  );
}

/** The part that is shown: that of the start, all as a person wants it, or one that a person moved or zoomed to. */
type Framing = "start" | "whole" | "moved";

interface FramedProps {
  layout: Layout;
  selected: string | undefined;
  framing: RefObject<Framing>;
}

/**
 * Shows all of the picture, or what matters of a large one, and adapts it when its place gets another size, unless a
 * person has moved or zoomed it. A flow that is chosen elsewhere is brought into view.
 */
function Framed({ layout, selected, framing }: FramedProps) {
  const { setViewport, getViewport, fitView } = useReactFlow();
  const store = useLiveStore();
  const width = useStore((state) => state.width);
  const height = useStore((state) => state.height);
  const canvas = useMemo(() => ({ width, height }), [width, height]);
  const chosen = useRef(selected);
  useLayoutEffect(() => {
    if (canvas.width === 0 || framing.current === "moved") return;
    if (framing.current === "whole") void fitView(WHOLE);
    else void setViewport(viewOf(layout, canvas, flowToShow(store.list() ?? [], chosen.current)));
  }, [layout, canvas, setViewport, fitView, store, framing]);
  useEffect(() => {
    if (chosen.current === selected) return;
    chosen.current = selected;
    const flow = selected === undefined ? undefined : store.flow(selected);
    if (flow === undefined || isShown(layout, canvas, getViewport(), flow)) return;
    void setViewport(viewOf(layout, canvas, flow));
  }, [selected, layout, canvas, getViewport, setViewport, store]);
  if (width === 0 || !viewOf(layout, canvas, undefined).isPart) return null;
  const showAll = (): void => {
    framing.current = "whole";
    void fitView(WHOLE);
  };
  return (
    <Panel position="bottom-left" className="topology-hint">
      Drag to move, or{" "}
      <button type="button" onClick={showAll}>
        show all {plural(Object.keys(layout.clusters).length, "cluster")}
      </button>
    </Panel>
  );
}

function nodesOf(layout: Layout): ClusterNodeType[] {
  return Object.entries(layout.clusters).map(([alias, position]) => ({
    id: alias,
    type: "cluster",
    position,
    data: { alias },
    width: CARD.width,
    height: CARD.height,
  }));
}

interface DrawnFlows extends TopologyGraphProps {
  layout: Layout;
  /** the flow under the pointer */
  over: string | undefined;
}

function edgesOf({ graph, layout, selected, over, onSelect }: DrawnFlows): FlowEdgeType[] {
  const isCrowded = graph.flows.length > CROWDED;
  return graph.flows.flatMap(({ key, source, target }) => {
    const route = layout.routes[key];
    if (route === undefined) return [];
    const isSelected = key === selected;
    const isOver = key === over;
    const data = { route, isSelected, isCrowded, isOver, onSelect };
    return [{ id: key, type: "flow" as const, source, target, data, zIndex: isSelected || isOver ? 1 : 0 }];
  });
}

/** The heads of the arrows, one for each colour of a line. */
function Arrows() {
  return (
    <svg className="topology-arrows" aria-hidden="true">
      <defs>
        {TONES.map((tone) => (
          <marker
            key={tone}
            id={`topology-arrow-${tone}`}
            data-tone={tone}
            viewBox="0 0 10 10"
            refX="9"
            refY="5"
            markerWidth="6"
            markerHeight="6"
            orient="auto-start-reverse"
          >
            <path d="M 0 1 L 9 5 L 0 9 z" />
          </marker>
        ))}
      </defs>
    </svg>
  );
}
