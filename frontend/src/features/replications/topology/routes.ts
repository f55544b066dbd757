/** The lines of flows between the cards of clusters. Pure. */
import type { Graph, GraphFlow } from "@/features/replications/topology/graph";

export const CARD = { width: 160, height: 62 };
/** Between two cards of one column that replicate in both directions. */
export const STACK_GAP = 84;
/** Between the middle of such cards and each of both lines. */
const STACKED_LINE = 42;
/** Lines that reach the same side of a card are this far apart, or share the side. */
const PORT = { gap: 16, room: 40 };

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

/** The room of a line between two columns, from left to right. */
export interface Lane {
  points: readonly Point[];
  /** null: labels take no room */
  label: Point | null;
}

type Lanes = ReadonlyMap<string, Lane>;

/** Two cards above each other are joined by a straight line, others through the lane of the flow. */
export function routesOf(graph: Graph, clusters: Layout["clusters"], lanes: Lanes): Layout {
  const ports = portsOf(graph, clusters, lanes);
  const routes: Record<string, Route> = {};
  for (const flow of graph.flows) {
    const from = clusters[flow.source];
    const to = clusters[flow.target];
    if (from === undefined || to === undefined) continue;
    const lane = lanes.get(flow.key);
    routes[flow.key] = lane === undefined ? stacked(from, to) : across(flow, from, to, lane, ports);
  }
  return { clusters, routes };
}

/** One line down, one line up. */
function stacked(from: Point, to: Point): Route {
  const isDown = from.y < to.y;
  const x = from.x + CARD.width / 2 + (isDown ? -STACKED_LINE : STACKED_LINE);
  const start = { x, y: isDown ? from.y + CARD.height : from.y };
  const end = { x, y: isDown ? to.y : to.y + CARD.height };
  return { points: [start, end], label: { x, y: (start.y + end.y) / 2 } };
}

function across({ key, source, target }: GraphFlow, from: Point, to: Point, lane: Lane, ports: Ports): Route {
  const isForward = from.x < to.x;
  const start = { x: from.x + (isForward ? CARD.width : 0), y: ports.get(`${key} ${source}`) ?? from.y };
  const end = { x: to.x + (isForward ? 0 : CARD.width), y: ports.get(`${key} ${target}`) ?? to.y };
  const between = isForward ? lane.points : [...lane.points].reverse();
  const points = [start, ...between, end];
  return { points, label: lane.label ?? middleOf(points) };
}

/** The height at which a line reaches a card, by the keys of the flow and the cluster. */
type Ports = ReadonlyMap<string, number>;

/** A side of a card: its middle, and the lines that reach it with the height of the place that they lead to. */
interface Side {
  middle: number;
  lines: { name: string; toward: number }[];
}

/** Lines leave and reach a side of a card in the order of the places that they go to and come from. */
function portsOf(graph: Graph, clusters: Layout["clusters"], lanes: Lanes): Ports {
  const ports = new Map<string, number>();
  for (const { middle, lines } of sidesOf(graph, clusters, lanes)) {
    const gap = Math.min(PORT.gap, PORT.room / Math.max(1, lines.length - 1));
    lines.sort((a, b) => a.toward - b.toward || a.name.localeCompare(b.name));
    lines.forEach(({ name }, place) => {
      ports.set(name, middle + (place - (lines.length - 1) / 2) * gap);
    });
  }
  return ports;
}

function sidesOf(graph: Graph, clusters: Layout["clusters"], lanes: Lanes): Iterable<Side> {
  const sides = new Map<string, Side>();
  for (const { key, source, target } of graph.flows) {
    const lane = lanes.get(key);
    const [from, to] = [clusters[source], clusters[target]];
    if (lane === undefined || from === undefined || to === undefined) continue;
    const isForward = from.x < to.x;
    const [left, right] = [lane.points.at(0), lane.points.at(-1)];
    const add = (cluster: string, { y }: Point, isRight: boolean, toward: number) => {
      const name = `${cluster} ${isRight ? "right" : "left"}`;
      const side = sides.get(name) ?? { middle: y + CARD.height / 2, lines: [] };
      side.lines.push({ name: `${key} ${cluster}`, toward });
      sides.set(name, side);
    };
    add(source, from, isForward, (isForward ? left : right)?.y ?? to.y);
    add(target, to, !isForward, (isForward ? right : left)?.y ?? from.y);
  }
  return sides.values();
}

function middleOf(points: readonly Point[]): Point {
  const [before, after] = [
    points[Math.floor((points.length - 1) / 2)],
    points[Math.ceil((points.length - 1) / 2)],
  ];
  if (before === undefined || after === undefined) return { x: 0, y: 0 };
  return { x: (before.x + after.x) / 2, y: (before.y + after.y) / 2 };
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

/** Each part of the line is drawn through so many points where it is compared with others. */
const STEPS = 10;

/** Points on the smooth line. */
export function curveOf(points: readonly Point[]): Point[] {
  const [first] = points;
  if (first === undefined) return [];
  const curve = [first];
  points.slice(1).forEach((end, place) => {
    const start = points[place] ?? first;
    for (let step = 1; step <= STEPS; step += 1) {
      const t = step / STEPS;
      // both handles are in the middle, at the heights of the ends
      const x = 1.5 * t * (1 - t) + t * t * t;
      const y = t * t * (3 - 2 * t);
      curve.push({ x: start.x + (end.x - start.x) * x, y: start.y + (end.y - start.y) * y });
    }
  });
  return curve;
}
