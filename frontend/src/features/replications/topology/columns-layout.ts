/** A plain layout that needs no worker: a column of sources, one of clusters that are both, one of targets. Pure. */
import type { Graph } from "@/features/replications/topology/graph";
import { CARD, type Layout, type Point, routesOf } from "@/features/replications/topology/routes";

const GAP = { x: 120, y: 84 };

export function layoutInColumns(graph: Graph): Layout {
  const sources = new Set(graph.flows.map(({ source }) => source));
  const targets = new Set(graph.flows.map(({ target }) => target));
  const columnOf = (cluster: string) => (!targets.has(cluster) ? 0 : sources.has(cluster) ? 1 : 2);
  const clusters: Record<string, Point> = {};
  const filled = [0, 0, 0];
  for (const cluster of graph.clusters) {
    const column = columnOf(cluster);
    const row = filled[column] ?? 0;
    clusters[cluster] = { x: column * (CARD.width + GAP.x), y: row * (CARD.height + GAP.y) };
    filled[column] = row + 1;
  }
  const isAcross = (source: string, target: string) => clusters[source]?.x !== clusters[target]?.x;
  const lanes = graph.flows
    .filter(({ source, target }) => isAcross(source, target))
    .map(({ key }) => [key, { points: [], label: null }] as const);
  return routesOf(graph, clusters, new Map(lanes));
}
