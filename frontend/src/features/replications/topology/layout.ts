/** Places clusters and routes flows. It runs in a worker: two hundred flows take seconds. */
import { Graph as DagreGraph, layout as dagreLayout } from "@dagrejs/dagre";
import { type Graph, groupsOf } from "@/features/replications/topology/graph";
import { labelled } from "@/features/replications/topology/labels";
import {
  CARD,
  type Lane,
  type Layout,
  type Point,
  routesOf,
  STACK_GAP,
} from "@/features/replications/topology/routes";
import { type Places, untangled } from "@/features/replications/topology/untangle";

const LABEL = { width: 72, height: 24 };
/** With more flows, labels are shown for some of them only and take no room. */
const MOST_LABELS = 60;
/** A small fleet uses the height of its card. */
const MOST_AIRY = 8;
/** A point so close to a card would bend the line at its end. */
const NEAR_CARD = 12;

export function layoutOf(graph: Graph): Layout {
  const groups = groupsOf(graph);
  const groupOf = new Map(groups.flatMap((group) => group.map((cluster) => [cluster, group] as const)));
  const drawn = placed(graph, groups, groupOf);
  const lanes = new Map<string, Lane>();
  for (const { key, source, target } of graph.flows) {
    const [from, to] = [groupOf.get(source), groupOf.get(target)];
    if (from !== undefined && to !== undefined && from !== to) lanes.set(key, laneOf(drawn, from, to, key));
  }
  const routed = (places: Places) => routesOf(graph, clustersOf(places.groups, drawn), places.lanes);
  if (graph.flows.length > MOST_LABELS) return routed({ groups, lanes });
  const layout = routed(untangled({ groups, lanes }, routed));
  return { ...layout, routes: labelled(layout) };
}

function clustersOf(groups: Places["groups"], drawn: DagreGraph): Record<string, Point> {
  const clusters: Record<string, Point> = {};
  for (const group of groups) {
    const node = drawn.node(nameOf(group));
    group.forEach((cluster, index) => {
      clusters[cluster] = {
        x: node.x - CARD.width / 2,
        y: node.y - heightOf(group) / 2 + index * (CARD.height + STACK_GAP),
      };
    });
  }
  return clusters;
}

/** The room that dagre keeps for a flow between two columns. */
function laneOf(drawn: DagreGraph, from: readonly string[], to: readonly string[], key: string): Lane {
  const edge = drawn.edge(nameOf(from), nameOf(to), key);
  const ends = [drawn.node(nameOf(from)).x, drawn.node(nameOf(to)).x];
  const [first, last] = [Math.min(...ends) + CARD.width / 2, Math.max(...ends) - CARD.width / 2];
  const points = (edge.points as Point[])
    .slice(1, -1)
    .filter(({ x }) => x > first + NEAR_CARD && x < last - NEAR_CARD)
    .sort((a, b) => a.x - b.x);
  return { points, label: edge.x === undefined ? null : { x: edge.x, y: edge.y } };
}

type Groups = ReadonlyMap<string, string[]>;

function placed(graph: Graph, groups: string[][], groupOf: Groups): DagreGraph {
  const drawn = new DagreGraph({ multigraph: true });
  drawn.setGraph({
    rankdir: "LR",
    nodesep: graph.clusters.length > MOST_AIRY ? 40 : 84,
    ranksep: 28,
    edgesep: 18,
    marginx: 24,
    marginy: 24,
  });
  for (const group of groups) {
    drawn.setNode(nameOf(group), { width: CARD.width, height: heightOf(group) });
  }
  const label = graph.flows.length > MOST_LABELS ? {} : { ...LABEL, labelpos: "c" as const };
  for (const flow of graph.flows) {
    const from = groupOf.get(flow.source);
    const to = groupOf.get(flow.target);
    if (from !== undefined && to !== undefined && from !== to) {
      drawn.setEdge(nameOf(from), nameOf(to), { ...label }, flow.key);
    }
  }
  dagreLayout(drawn);
  return drawn;
}

/** The same, whichever cluster is on top. */
function nameOf(group: readonly string[]): string {
  return [...group].sort().join(" ");
}

function heightOf(group: readonly string[]): number {
  return group.length * CARD.height + (group.length - 1) * STACK_GAP;
}
