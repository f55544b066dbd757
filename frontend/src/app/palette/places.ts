/** What the palette finds: pages, flows, and what the service found of topics, groups, clusters and keys. Pure. */
import type { SearchHit } from "@/api/types";
import { statusWord, urgency } from "@/lib/status";
import { matchesWords } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

type Page =
  | "/replications"
  | "/clusters"
  | "/drivers"
  | "/services"
  | "/configuration"
  | "/configuration/keys";

export type Target =
  | { to: Page; key?: string }
  | { to: "/clusters/$alias"; alias: string }
  | { to: "/replications/$source/$target"; source: string; target: string; group?: string }
  | { to: "/replications/$source/$target/topics/$topic"; source: string; target: string; topic: string }
  | { to: "shortcuts" }
  | { to: "live" };

export interface Place {
  id: string;
  group: "Pinned" | "Recent" | "Flows" | "Topics" | "Groups" | "Clusters" | "Keys" | "Pages" | "Actions";
  label: string;
  note: string;
  target: Target;
}

const MAX_FLOWS = 8;
const MAX_CLUSTERS = 4;

const FIXED: readonly Place[] = [
  page("/replications", "Replications", "g r"),
  page("/clusters", "Clusters", "g c"),
  page("/drivers", "Drivers", "g d"),
  page("/services", "Services", "g s"),
  page("/configuration", "Configuration", "g o"),
  page("/configuration/keys", "Keys of the configuration", "Types, defaults, who sets them"),
  {
    id: "live",
    group: "Actions",
    label: "Pause or resume live updates",
    note: "p",
    target: { to: "live" },
  },
  {
    id: "shortcuts",
    group: "Actions",
    label: "Keyboard shortcuts",
    note: "?",
    target: { to: "shortcuts" },
  },
];

function page(to: Page, label: string, note: string): Place {
  return { id: to, group: "Pages", label, note, target: { to } };
}

/** The flows that a person has pinned, and those opened last in this browser, as `source->target`. */
export interface OwnFlows {
  pinned: readonly string[];
  recent: readonly string[];
}

const NO_OWN: OwnFlows = { pinned: [], recent: [] };

/** Pinned flows, then recent ones, then the most urgent, as they are the most likely goal; each once. */
function flowPlaces(flows: readonly FlowRow[], typed: string, { pinned, recent }: OwnFlows): Place[] {
  const matching = flows.filter((flow) => matchesWords(`${flow.source} ${flow.target}`, typed));
  const named = (names: readonly string[]) =>
    names.flatMap((name) => matching.find(({ key }) => key === name) ?? []);
  const urgent = [...matching].sort(
    (a, b) => urgency(a.status) - urgency(b.status) || a.key.localeCompare(b.key),
  );
  const places = [
    ...named(pinned).map((flow) => flowPlace(flow, "Pinned")),
    ...named(recent).map((flow) => flowPlace(flow, "Recent")),
    ...urgent.slice(0, MAX_FLOWS).map((flow) => flowPlace(flow, "Flows")),
  ];
  return places.filter(({ id }, at) => places.findIndex((place) => place.id === id) === at);
}

function flowPlace({ key, source, target, status }: FlowRow, group: Place["group"]): Place {
  return {
    id: `flow ${key}`,
    group,
    label: `${source} → ${target}`,
    note: statusWord(status),
    target: { to: "/replications/$source/$target", source, target },
  };
}

/** Clusters of the flows; the service also finds those without a flow. */
function clusterPlaces(flows: readonly FlowRow[], typed: string): Place[] {
  const aliases = [...new Set(flows.flatMap(({ source, target }) => [source, target]))].sort();
  return aliases
    .filter((alias) => matchesWords(alias, typed))
    .slice(0, MAX_CLUSTERS)
    .map(clusterPlace);
}

function clusterPlace(alias: string): Place {
  return {
    id: `cluster ${alias}`,
    group: "Clusters",
    label: alias,
    note: "Connection and flows of this cluster",
    target: { to: "/clusters/$alias", alias },
  };
}

/** A hit of the service as a place; null for flows, which the page knows itself. */
function placeOf({ kind, label, text, source, target, topic, remote_topic, group }: SearchHit): Place | null {
  if (kind === "cluster") return clusterPlace(label);
  if (kind === "property") {
    const to = { to: "/configuration/keys" as const, key: label };
    return { id: `key ${label}`, group: "Keys", label, note: text ?? "", target: to };
  }
  if (source === null || target === null) return null;
  const note = `${source} → ${target}`;
  const flow = { source, target };
  if (kind === "topic" && topic !== null) {
    return {
      id: `topic ${note} ${topic} ${remote_topic}`,
      group: "Topics",
      label: remote_topic === null || topic === remote_topic ? topic : `${topic} → ${remote_topic}`,
      note,
      target: { to: "/replications/$source/$target/topics/$topic", ...flow, topic },
    };
  }
  if (kind === "group" && group !== null) {
    const to = { to: "/replications/$source/$target" as const, ...flow, group };
    return { id: `group ${note} ${group}`, group: "Groups", label: group, note, target: to };
  }
  return null;
}

/** All matches in the order in which they are shown; `hits` match already, as the service searched them. */
export function findPlaces(
  typed: string,
  flows: readonly FlowRow[],
  hits: readonly SearchHit[],
  own: OwnFlows = NO_OWN,
): readonly Place[] {
  const fixed = FIXED.filter((place) => matchesWords(place.label, typed));
  const clusters = typed.trim() === "" ? [] : clusterPlaces(flows, typed);
  const found = hits.flatMap((hit) => placeOf(hit) ?? []);
  const of = (group: Place["group"]) => found.filter((place) => place.group === group);
  const others = of("Clusters").filter(({ id }) => clusters.every((known) => known.id !== id));
  return [
    ...flowPlaces(flows, typed, own),
    ...of("Topics"),
    ...of("Groups"),
    ...clusters,
    ...others,
    ...of("Keys"),
    ...fixed,
  ];
}
