/** The orders that the palette offers for flows, topics and drivers, and their verbs. Pure. */
import type { SearchHit } from "@/api/types";
import { type DriverName, MAX_FLOWS, MAX_ORDERED, type OrderOfFlow, type Place } from "@/app/palette/place";
import { matchesWords } from "@/lib/words";
import type { FlowRow } from "@/live/flow-row";

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
export function isOrdered({ group, label }: Place, typed: string): boolean {
  return group === "Actions" && wordsOf(label)[0] === wordsOf(typed)[0];
}

/** The most flows, topics or drivers that get actions: more if the verb says which one is meant. */
const mostOrdered = (typed: string) => (VERBS.has(wordsOf(typed)[0] ?? "") ? MAX_FLOWS : MAX_ORDERED);

/** Orders and audits of the own flows that match with or without the word of an order: `pause us-east`. */
export function orderPlaces(flows: readonly FlowRow[], typed: string): Place[] {
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
    .filter(({ service }) => service === null)
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
export function topicOrderPlaces(hits: readonly SearchHit[], typed: string): Place[] {
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

/** Orders for the drivers that match with or without the word of an order: `drain berlin`. */
export function driverOrders(drivers: readonly DriverName[], typed: string): Place[] {
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
