/** What the palette finds: pages, flows, and what the service found of topics, groups, clusters and keys. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { SearchHit, TopicStateWord } from "@/api/types";
import { driverOrders, isOrdered, orderPlaces, topicOrderPlaces } from "@/app/palette/actions";
import { type DriverName, MAX_FLOWS, MAX_ORDERED, type Page, type Place } from "@/app/palette/place";
import { statusWord, urgency } from "@/lib/status";
import { matchesWords, plainText, wordOf } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

const MAX_CLUSTERS = 4;

const FIXED: readonly Place[] = [
  page("/replications", "Replications", "g r"),
  page("/clusters", "Clusters", "g c"),
  page("/drivers", "Drivers", "g d"),
  page("/services", "Services", "g s"),
  page("/configuration", "Configuration", "g o"),
  page("/configuration/keys", "Keys of the configuration", "Types, defaults, who sets them"),
  page("/configuration/review", "Review of the draft", "What it changes in each flow"),
  page("/configuration/history", "History of the configuration", "Versions, differences, revert"),
  page("/configuration/transfer", "Import and export", "The configuration as a file"),
  page("/settings", "Settings", "Theme, times and shortcuts"),
  {
    id: "reference",
    group: "Pages",
    label: "API reference",
    note: "Every REST request",
    target: { to: "reference" },
  },
  action("/replications/new", "New replication", "Create a flow", "flows.change"),
  action("/clusters/new", "Add a cluster", "Its connection", "clusters.change"),
  {
    id: "theme",
    group: "Actions",
    label: "Switch the theme: light or dark",
    note: "",
    target: { to: "theme" },
  },
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

function action(to: Page, label: string, note: string, needs: string): Place {
  return { id: to, group: "Actions", label, note, needs, target: { to } };
}

/** The pages of the drivers that match. */
function driverPages(drivers: readonly DriverName[], typed: string): Place[] {
  if (typed.trim() === "") return [];
  return [...new Set(drivers.map(({ parent }) => parent))]
    .sort()
    .filter((id) => matchesWords(id, typed))
    .slice(0, MAX_ORDERED)
    .map((id) => ({
      id: `driver ${id}`,
      group: "Drivers",
      label: id,
      note: "Processes and tasks of this driver",
      target: { to: "/drivers/$id", id },
    }));
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
    return { id: `key ${label}`, group: "Keys", label, note: plainText(text ?? ""), target: to };
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

/** A topic of a source that a flow does not copy. */
export interface UncopiedTopic extends FlowAddress {
  topic: string;
  state: TopicStateWord;
}

/** A topic that is not copied, in the list of topics of its flow; null if the service found it as a copied one. */
function uncopiedPlace(
  { source, target, topic, state }: UncopiedTopic,
  hits: readonly SearchHit[],
): Place | null {
  const isFound = hits.some((hit) => hit.topic === topic && hit.source === source && hit.target === target);
  if (isFound) return null;
  return {
    id: `topic ${source} → ${target} ${topic}`,
    group: "Topics",
    label: topic,
    note: `${wordOf(state)}: ${source} → ${target}`,
    target: { to: "/replications/$source/$target", source, target, topic, state },
  };
}

/** All matches in the order in which they are shown; `hits` match already, as the service searched them. */
export function findPlaces(
  typed: string,
  flows: readonly FlowRow[],
  hits: readonly SearchHit[],
  own: OwnFlows = NO_OWN,
  permissions: readonly string[] = [],
  drivers: readonly DriverName[] = [],
  uncopied: readonly UncopiedTopic[] = [],
): readonly Place[] {
  const isAllowed = ({ needs }: Place) => needs === undefined || permissions.includes(needs);
  const fixed = FIXED.filter((place) => isAllowed(place) && matchesWords(place.label, typed));
  const clusters = typed.trim() === "" ? [] : clusterPlaces(flows, typed);
  const found = hits.flatMap((hit) => placeOf(hit) ?? []);
  const of = (group: Place["group"]) => found.filter((place) => place.group === group);
  const others = of("Clusters").filter(({ id }) => clusters.every((known) => known.id !== id));
  const actions = [
    ...orderPlaces(flows, typed),
    ...topicOrderPlaces(hits, typed),
    ...driverOrders(drivers, typed),
  ].filter(isAllowed);
  const isFirst = (place: Place) => isOrdered(place, typed);
  const isLater = (place: Place) => !isFirst(place);
  return [
    ...actions.filter(isFirst),
    ...fixed.filter(isFirst),
    ...flowPlaces(flows, typed, own),
    ...of("Topics"),
    ...uncopied.flatMap((topic) => uncopiedPlace(topic, hits) ?? []),
    ...of("Groups"),
    ...clusters,
    ...others,
    ...driverPages(drivers, typed),
    ...fixed.filter(isLater),
    ...actions.filter(isLater),
    ...of("Keys"),
  ];
}
