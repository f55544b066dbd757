/** The graph of a set of flows: clusters, and one edge for each direction. Pure. */
import { bytesPerSecond, joined } from "@/lib/format";
import { statusWord } from "@/lib/status";
import type { FlowRow } from "@/live/flow-row";

export interface GraphFlow {
  key: string;
  source: string;
  target: string;
}

export interface Graph {
  clusters: readonly string[];
  flows: readonly GraphFlow[];
}

/** Clusters and flows in a fixed order, so that equal sets have equal layouts. */
export function graphOf(rows: readonly FlowRow[]): Graph {
  const flows = rows
    .map(({ key, source, target }) => ({ key, source, target }))
    .sort((a, b) => a.key.localeCompare(b.key));
  const clusters = [...new Set(flows.flatMap(({ source, target }) => [source, target]))].sort();
  return { clusters, flows };
}

/**
 * Clusters in groups of one or two. Two clusters that replicate in both directions share a group, so that they stand
 * above each other and both directions stay short. A cluster with several such partners joins the first one that has
 * no other.
 */
export function groupsOf({ clusters, flows }: Graph): string[][] {
  const keys = new Set(flows.map((flow) => `${flow.source} ${flow.target}`));
  const partners = (cluster: string) =>
    clusters.filter((other) => keys.has(`${cluster} ${other}`) && keys.has(`${other} ${cluster}`));
  const grouped = new Set<string>();
  const groups: string[][] = [];
  const byPartners = [...clusters].sort((a, b) => partners(a).length - partners(b).length);
  for (const cluster of byPartners) {
    if (grouped.has(cluster)) continue;
    const partner = partners(cluster).find((other) => !grouped.has(other));
    const group = partner === undefined ? [cluster] : [cluster, partner].sort();
    for (const member of group) grouped.add(member);
    groups.push(group);
  }
  return groups.sort((a, b) => (a[0] ?? "").localeCompare(b[0] ?? ""));
}

export interface Traffic {
  into: number | null;
  from: number | null;
}

/** Bytes per second that arrive at and leave a cluster; null if no flow of that side is measured. */
export function trafficOf(cluster: string, rows: readonly FlowRow[]): Traffic {
  return {
    into: sum(rows.filter((row) => row.target === cluster)),
    from: sum(rows.filter((row) => row.source === cluster)),
  };
}

function sum(rows: readonly FlowRow[]): number | null {
  const measured = rows.map((row) => row.bytes_per_second).filter((value) => value !== null);
  return measured.length === 0 ? null : measured.reduce((total, value) => total + value, 0);
}

/**
 * The rate, all that changes each second; the status of a flow that has none, or that needs attention. A range in the
 * past has a rate or none: the status is of now.
 */
export function edgeLabel({ bytes_per_second, status }: FlowRow, isPast: boolean): string {
  if (isPast) return bytes_per_second === null ? "Not measured" : joined(bytesPerSecond(bytes_per_second));
  const isMoving = bytes_per_second !== null && (status === "healthy" || status === "degraded");
  return isMoving ? joined(bytesPerSecond(bytes_per_second)) : statusWord(status);
}

/** A flow in words. */
export function edgeText({ source, target, status, reason }: FlowRow, isPast: boolean): string {
  const why = status === "healthy" || !reason ? "" : `: ${reason}`;
  return `${source} to ${target}, ${isPast ? "now " : ""}${status}${why}`;
}
