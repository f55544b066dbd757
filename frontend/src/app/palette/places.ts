/** What the palette finds: pages, flows, and what the service found of topics, groups, clusters and keys. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { Driver, SearchHit, TopicStateWord } from "@/api/types";
import type { DriverOrder } from "@/features/drivers/DriverOrderForm";
import type { OrderKind } from "@/features/orders/order";
import { statusWord, urgency } from "@/lib/status";
import { matchesWords, plainText, wordOf } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

type Page =
  | "/replications"
  | "/clusters"
  | "/drivers"
  | "/services"
  | "/configuration"
  | "/configuration/keys"
  | "/configuration/review"
  | "/configuration/transfer"
  | "/configuration/history"
  | "/replications/new"
  | "/clusters/new"
  | "/settings";

/** The orders that the palette offers for a flow. */
type OrderOfFlow = Exclude<OrderKind, "unthrottle">;

export type Target =
  | { to: Page; key?: string }
  | { to: "/clusters/$alias"; alias: string }
  | { to: "/drivers/$id"; id: string }
  | { to: "/replications/$source/$target"; source: string; target: string; group?: string }
  | {
      to: "/replications/$source/$target";
      source: string;
      target: string;
      topic: string;
      state: TopicStateWord;
    }
  | { to: "/replications/$source/$target/topics/$topic"; source: string; target: string; topic: string }
  | { to: "order"; source: string; target: string; kind: OrderOfFlow; topic?: string }
  | { to: "driver"; driver: string; order: DriverOrder }
  | { to: "audit"; source: string; target: string }
  | { to: "reference" }
  | { to: "theme" }
  | { to: "shortcuts" }
  | { to: "live" };

export interface Place {
  id: string;
  group:
    | "Pinned"
    | "Recent"
    | "Flows"
    | "Topics"
    | "Groups"
    | "Clusters"
    | "Drivers"
    | "Keys"
    | "Pages"
    | "Actions";
  label: string;
  note: string;
  target: Target;
  /** the permission that it needs; absent: none */
  needs?: string;
}

const MAX_ORDERED = 3;
const MAX_FLOWS = 8;
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

interface OrderWord {
  kind: OrderOfFlow | "audit";
  word: string;
  note?: string;
  /** true when it is offered without its word, too */
  isUsual?: boolean;
}

const ORDERS: readonly OrderWord[] = [
  { kind: "pause", word: "Pause", isUsual: true },
  { kind: "resume", word: "Resume", isUsual: true },
  { kind: "stop", word: "Stop" },
  { kind: "start", word: "Start" },
  { kind: "restart", word: "Restart", isUsual: true },
  { kind: "throttle", word: "Throttle", isUsual: true },
  { kind: "reset", word: "Reset a topic of" },
  { kind: "enable", word: "Enable", isUsual: true },
  { kind: "disable", word: "Disable" },
  { kind: "delete", word: "Delete" },
  { kind: "audit", word: "Audit", note: "Says first what it reads", isUsual: true },
];

const HALTED: readonly OrderWord["kind"][] = ["resume", "start"];
const OF_RUNNING: readonly OrderWord["kind"][] = ["pause", "stop"];
const OF_DISABLED: readonly OrderWord["kind"][] = ["enable", "throttle", "delete", "audit"];

/** True for what a flow with a status can get. */
function isOffered(kind: OrderWord["kind"], status: FlowRow["status"]): boolean {
  if (status === "disabled") return OF_DISABLED.includes(kind);
  return kind !== "enable" && !(status === "paused" ? OF_RUNNING : HALTED).includes(kind);
}

const wordsOf = (text: string) => text.toLowerCase().split(/\s+/).filter(Boolean);
/** The verbs of the orders for flows, topics and drivers. */
const VERBS = new Set([...ORDERS.map(({ word }) => wordsOf(word)[0]), "drain", "undrain"]);
const names = (word: string, typed: string) =>
  wordsOf(typed).some((part) => wordsOf(word).some((own) => own.startsWith(part)));

/** What the service searches: a name that follows the word of an order. */
export function searchedText(typed: string): string {
  const [first = "", ...others] = typed.trim().split(/\s+/);
  const name = others.join(" ");
  return VERBS.has(first.toLowerCase()) && name.length >= 2 ? name : typed;
}

/** True if the first word is the verb of an action and the others are in its names, or if all words are in its names. */
function matchesAction(label: string, names: string, typed: string): boolean {
  const [verb = "", ...others] = wordsOf(typed);
  const [ownVerb = "", ...ownOthers] = wordsOf(label);
  const rest = others.join(" ");
  const isVerb = ownVerb.includes(verb) && matchesWords(`${ownOthers.join(" ")} ${names}`, rest);
  return isVerb || matchesWords(names, typed);
}

/** True for the actions of the verb that is typed first: they are the likely goal. */
function isOrdered({ group, label }: Place, typed: string): boolean {
  return group === "Actions" && wordsOf(label)[0] === wordsOf(typed)[0];
}

/** The most flows, topics or drivers that get actions: more if the verb says which one is meant. */
const mostOrdered = (typed: string) => (VERBS.has(wordsOf(typed)[0] ?? "") ? MAX_FLOWS : MAX_ORDERED);

/** Orders and audits of the flows that match with or without the word of an order: `pause us-east`. */
function orderPlaces(flows: readonly FlowRow[], typed: string): Place[] {
  if (typed.trim() === "") return [];
  const of = ({ key, source, target, status }: FlowRow): Place[] => {
    const fitting = ORDERS.filter(
      ({ kind, word, isUsual = false }) =>
        isOffered(kind, status) &&
        (isUsual || names(word, typed)) &&
        matchesAction(word, `${source} ${target}`, typed),
    );
    return fitting.map(({ kind, word, note = "Opens the form" }) => ({
      id: `${kind} ${key}`,
      group: "Actions",
      label: `${word} ${source} → ${target}…`,
      note,
      needs: "flows.act",
      target: kind === "audit" ? { to: "audit", source, target } : { to: "order", source, target, kind },
    }));
  };
  return flows
    .map(of)
    .filter((places) => places.length > 0)
    .slice(0, mostOrdered(typed))
    .flat();
}

const OF_TOPIC = [
  { kind: "pause", word: "Pause" },
  { kind: "reset", word: "Reset" },
] as const;

/** Orders for the topics that the service has found, with or without the word of an order: `pause orders`. */
function topicOrderPlaces(hits: readonly SearchHit[], typed: string): Place[] {
  const topics = hits.filter(({ kind, topic }) => kind === "topic" && topic !== null).slice(0, MAX_ORDERED);
  return topics.flatMap(({ source, target, topic, remote_topic }) => {
    if (source === null || target === null || topic === null) return [];
    const fitting = OF_TOPIC.filter(({ word }) =>
      matchesAction(word, `${topic} ${remote_topic ?? ""}`, typed),
    );
    return fitting.map(
      ({ kind, word }): Place => ({
        id: `${kind} ${source}->${target} ${topic} ${remote_topic}`,
        group: "Actions",
        label: `${word} ${topic}…`,
        note: `${source} → ${target}`,
        needs: "flows.act",
        target: { to: "order", source, target, kind, topic },
      }),
    );
  });
}

/** A driver that the palette knows. */
export type DriverName = Pick<Driver, "parent" | "drain">;

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

/** Orders for the drivers that match with or without the word of an order: `drain berlin`. */
function driverOrders(drivers: readonly DriverName[], typed: string): Place[] {
  if (typed.trim() === "") return [];
  const drained = new Set(drivers.filter(({ drain }) => drain).map(({ parent }) => parent));
  const of = (driver: string): Place[] =>
    [
      drained.has(driver)
        ? { order: "undrain" as const, word: "Undrain" }
        : { order: "drain" as const, word: "Drain" },
      { order: "restart" as const, word: "Restart" },
    ]
      .filter(({ word }) => matchesAction(word, driver, typed))
      .map(({ order, word }) => ({
        id: `${order} driver ${driver}`,
        group: "Actions",
        label: `${word} ${driver}…`,
        note: "Driver",
        needs: "drivers.act",
        target: { to: "driver", driver, order },
      }));
  const places = [...new Set(drivers.map(({ parent }) => parent))].sort().map(of);
  return places
    .filter((each) => each.length > 0)
    .slice(0, mostOrdered(typed))
    .flat();
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
