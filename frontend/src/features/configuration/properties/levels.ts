/** Where properties stand: the five levels, their places, and the prefixes of clients. Pure. */
import type { Property, PropertyChange, PropertyLevel } from "@/api/types";

export interface Place {
  level: PropertyLevel;
  /** the full key up to the name: empty, `workers.`, `us-east.`, `us-east->us-west.` */
  base: string;
  name: string;
}

/** Longer prefixes first, as they decide before shorter ones. */
const PREFIXES = [
  "producer.override.",
  "consumer.override.",
  "source.consumer.",
  "source.producer.",
  "source.admin.",
  "source.cluster.",
  "target.consumer.",
  "target.producer.",
  "target.admin.",
  "target.cluster.",
  "consumer.",
  "producer.",
  "admin.",
  "worker.",
  "resource.",
] as const;

/** The prefix of a client, or of a part of an operator's resource; empty: the name has none. */
export function prefixOf(name: string): string {
  return PREFIXES.find((prefix) => name.startsWith(prefix)) ?? "";
}

/** The name without the prefix of a client: `acks` of `producer.override.acks`. */
export function bareName(name: string): string {
  return name.slice(prefixOf(name).length);
}

/** The base of a stored property, such as `us-east->us-west.`. */
export function baseOf({ key, name }: Property): string {
  return key.slice(0, key.length - name.length);
}

/** The place that a full key names. Aliases with dots are known from the cluster list. */
export function placeOf(key: string, aliases: readonly string[], dialect: string): Place {
  const bases = aliases.map((alias) => `${alias}.`).sort((a, b) => b.length - a.length);
  const arrow = key.indexOf("->");
  if (arrow > 0) {
    const rest = key.slice(arrow + 2);
    const known = bases.find((base) => rest.startsWith(base)) ?? rest.slice(0, rest.indexOf(".") + 1);
    return at("flow", key.slice(0, arrow + 2) + known, key);
  }
  if (dialect !== "mm2") {
    for (const level of ["workers", "connectors"] as const) {
      if (key.startsWith(`${level}.`)) return at(level, `${level}.`, key);
    }
  }
  const alias = bases.find((base) => key.startsWith(base));
  return alias === undefined ? at("global", "", key) : at("cluster", alias, key);
}

function at(level: PropertyLevel, base: string, key: string): Place {
  return { level, base, name: key.slice(base.length) };
}

export type RowState = "same" | "changed" | "added" | "removed";

/** A property with what the open draft does to it. */
export interface Row extends Place {
  key: string;
  property: Property | null;
  change: PropertyChange | null;
  state: RowState;
}

/** All properties in their order, then those that the draft adds. */
export function rowsWith(
  properties: readonly Property[],
  changes: readonly PropertyChange[],
  aliases: readonly string[],
  dialect: string,
): Row[] {
  const changed = new Map(changes.map((change) => [change.key, change]));
  const rows = properties.map((property): Row => {
    const { key, level, name } = property;
    const change = changed.get(key) ?? null;
    changed.delete(key);
    const state = change === null ? "same" : change.value === null ? "removed" : "changed";
    return { key, level, name, base: baseOf(property), property, change, state };
  });
  const added = [...changed.values()].map(
    (change): Row => ({
      ...placeOf(change.key, aliases, dialect),
      key: change.key,
      property: null,
      change,
      state: change.value === null ? "removed" : "added",
    }),
  );
  return [...rows, ...added];
}

/** A place of the tree, with the number of its properties. the URL holds its `id`. */
export interface Node {
  id: string;
  label: string;
  count: number;
  children: Node[];
}

const LEVELS = [
  { id: "global", label: "Global" },
  { id: "workers", label: "Workers" },
  { id: "connectors", label: "Connectors" },
] as const;

/** The levels from the weakest to the strongest, with their clusters, flows and prefixes. */
export function treeOf(rows: readonly Row[], aliases: readonly string[], flows: readonly string[]): Node[] {
  const global = LEVELS.map(({ id, label }) =>
    nodeOf(
      id,
      label,
      rows.filter((row) => row.level === id),
    ),
  );
  const below = (level: PropertyLevel, names: readonly string[]) => {
    const found = rows.filter((row) => row.level === level);
    const all = [...new Set([...names, ...found.map(({ base }) => base.slice(0, -1))])].sort();
    const children = all.map((name) =>
      nodeOf(
        `${level}:${name}`,
        name.replace("->", " → "),
        found.filter(({ base }) => base === `${name}.`),
      ),
    );
    return { count: found.length, children };
  };
  return [
    ...global,
    { id: "cluster", label: "Clusters", ...below("cluster", aliases) },
    { id: "flow", label: "Flows", ...below("flow", flows) },
  ];
}

function nodeOf(id: string, label: string, rows: readonly Row[]): Node {
  const prefixes = [...new Set(rows.map(({ name }) => prefixOf(name)))]
    .filter((prefix) => prefix !== "")
    .sort();
  const children = prefixes.map((prefix) => ({
    id: `${id}#${prefix}`,
    label: prefix,
    count: rows.filter(({ name }) => prefixOf(name) === prefix).length,
    children: [],
  }));
  return { id, label, count: rows.length, children };
}

/** True for rows at a node of the tree or below it; without a node, for all rows. */
export function isBelow({ level, base, name }: Row, node: string | undefined): boolean {
  if (node === undefined) return true;
  const [place = "", prefix] = node.split("#");
  const colon = place.indexOf(":");
  const isThere = colon === -1 ? level === place : `${level}:${base.slice(0, -1)}` === place;
  return isThere && (prefix === undefined || prefixOf(name) === prefix);
}

/** The start of the full key of a node, such as `us-east.consumer.`; null where a node names no single place. */
export function baseOfNode(node: string | undefined): string | null {
  if (node === undefined) return null;
  const [place = "", prefix = ""] = node.split("#");
  const colon = place.indexOf(":");
  if (place === "global") return prefix;
  if (colon === -1) return place === "workers" || place === "connectors" ? `${place}.${prefix}` : null;
  return `${place.slice(colon + 1)}.${prefix}`;
}
