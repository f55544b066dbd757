/** Places clusters and routes flows. It runs in a worker: two hundred flows take seconds. */
import { Graph as DagreGraph, layout as dagreLayout } from "@dagrejs/dagre";
import { type Graph, type GraphFlow, groupsOf } from "@/features/replications/topology/graph";

export const CARD = { width: 172, height: 62 };
const STACK_GAP = 84;
const LABEL = { width: 72, height: 24 };
/** With more flows, labels are shown for some of them only and take no room. */
const MOST_LABELS = 60;
/** A small fleet uses the height of its card. */
const MOST_AIRY = 8;
const LANE = 42;

export interface Point {
  x: number;
  y: number;
}

export interface Route {
  /** Where the line begins, turns and ends. */
  points: readonly Point[];
  label: Point;
}

export interface Layout {
  /** The upper left corner of each cluster's card. */
  clusters: Readonly<Record<string, Point>>;
  /** By the key of the flow. */
  routes: Readonly<Record<string, Route>>;
}

export function layoutOf(graph: Graph): Layout {
  const groups = groupsOf(graph);
  const groupOf = new Map(groups.flatMap((group) => group.map((cluster) => [cluster, group] as const)));
  const drawn = placed(graph, groups, groupOf);
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
  const routes: Record<string, Route> = {};
  for (const flow of graph.flows) {
    const from = clusters[flow.source];
    const to = clusters[flow.target];
    if (from === undefined || to === undefined) continue;
    const isStacked = groupOf.get(flow.source) === groupOf.get(flow.target);
    routes[flow.key] = isStacked ? stacked(from, to) : across(flow, from, to, drawn, groupOf);
  }
  return { clusters, routes };
}

type Groups = ReadonlyMap<string, string[]>;

function placed(graph: Graph, groups: string[][], groupOf: Groups): DagreGraph {
  const drawn = new DagreGraph({ multigraph: true });
  drawn.setGraph({
    rankdir: "LR",
    nodesep: graph.clusters.length > MOST_AIRY ? 40 : 84,
    ranksep: 44,
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

/** Two cards above each other: one lane down, one lane up. */
function stacked(from: Point, to: Point): Route {
  const isDown = from.y < to.y;
  const x = from.x + CARD.width / 2 + (isDown ? -LANE : LANE);
  const start = { x, y: isDown ? from.y + CARD.height : from.y };
  const end = { x, y: isDown ? to.y : to.y + CARD.height };
  return { points: [start, end], label: { x, y: (start.y + end.y) / 2 } };
}

function across(flow: GraphFlow, from: Point, to: Point, drawn: DagreGraph, groupOf: Groups): Route {
  const [source = [], target = []] = [groupOf.get(flow.source), groupOf.get(flow.target)];
  const edge = drawn.edge(nameOf(source), nameOf(target), flow.key);
  const isForward = from.x < to.x;
  const lane = isForward ? -8 : 8;
  const start = { x: from.x + (isForward ? CARD.width : 0), y: from.y + CARD.height / 2 + lane };
  const end = { x: to.x + (isForward ? 0 : CARD.width), y: to.y + CARD.height / 2 + lane };
  const between = (edge.points as Point[]).slice(1, -1).filter(({ x }) => isBetween(x, start.x, end.x));
  const label = edge.x === undefined ? middleOf([start, ...between, end]) : { x: edge.x, y: edge.y };
  return { points: [start, ...between, end], label };
}

function isBetween(x: number, start: number, end: number): boolean {
  return x > Math.min(start, end) + 12 && x < Math.max(start, end) - 12;
}

function middleOf(points: readonly Point[]): Point {
  const [before, after] = [
    points[Math.floor((points.length - 1) / 2)],
    points[Math.ceil((points.length - 1) / 2)],
  ];
  if (before === undefined || after === undefined) return { x: 0, y: 0 };
  return { x: (before.x + after.x) / 2, y: (before.y + after.y) / 2 };
}

function nameOf(group: readonly string[]): string {
  return group.join(" ");
}

function heightOf(group: readonly string[]): number {
  return group.length * CARD.height + (group.length - 1) * STACK_GAP;
}

/** A smooth line through the points, which leaves and reaches cards at right angles. */
export function pathOf(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (first === undefined) return "";
  let path = `M ${first.x} ${first.y}`;
  let last = first;
  for (const point of rest) {
    const middle = (last.x + point.x) / 2;
    path +=
      point.x === last.x
        ? ` L ${point.x} ${point.y}`
        : ` C ${middle} ${last.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    last = point;
  }
  return path;
}
