/** The orders that the card of a flow offers, and what is known of the one that was given last. */
import { MOST_BYTES_PER_SECOND } from "@/api/schema-values";
import type { BulkAction, Flow, FlowStatus, OrderDryRun, OrderVerb } from "@/api/types";

/** The orders that need no more than a reason and an end. */
export type Verb = Exclude<OrderVerb, "throttle">;
export type Switch = Exclude<BulkAction, Verb>;
/** Changes of what is defined. */
export type FlowChange = Switch | "delete";
export type OrderKind = OrderVerb | "unthrottle" | "reset" | FlowChange;

/** The part of a flow that an order is for; the whole flow without a topic and a task. */
export interface Scope {
  topic: string;
  partition: number | null;
  /** the number of a source task, which can be restarted */
  task?: number;
}

export const WHOLE_FLOW: Scope = { topic: "", partition: null };

/** An order that the service accepted. */
export interface GivenOrder {
  text: string;
  /** the state that it orders of the whole flow, and when; undefined: another kind of order */
  orders?: { state: Flow["ordered_state"]; at_ms: number } | undefined;
  /** null: nothing changed, or it has no id */
  actionId: number | null;
  /** the resets that it requests, by their ids */
  resets?: readonly string[];
  /** true when the flow is deleted: its tasks end */
  isDeletion?: boolean;
  /** gives the order that takes this one back; undefined: there is none */
  undo?: (() => Promise<GivenOrder>) | undefined;
  /** what has to be typed before it is taken back; absent: nothing */
  undoName?: string | undefined;
}

/** The effect of an order that was not given. */
export interface DryRun {
  text: readonly string[];
  /** undefined: the service does not count what the order covers */
  touches: OrderDryRun["touches"] | undefined;
  /** topics and tasks that it covers */
  names?: Readonly<Record<string, readonly string[]>> | undefined;
}

const isChange = (kind: OrderKind): kind is FlowChange =>
  kind === "enable" || kind === "disable" || kind === "delete";

/** Why a flow in a state cannot take an order for all of it now; null: it can. Pure. */
export function refusal(
  kind: OrderKind,
  status: FlowStatus | undefined,
  ordered: Flow["ordered_state"] | undefined,
): string | null {
  if (status === undefined) return "Loading the state of the flow";
  if (kind === "throttle" || kind === "unthrottle" || isChange(kind)) return null;
  if (status === "disabled") return "The flow is disabled";
  if (kind === "restart" && ordered === "stop") return "The flow is stopped: no task runs";
  if (kind === "pause" && ordered === "stop") return "The flow is stopped: start it";
  return null;
}

const isOf = (order: Scope, { topic, partition }: Scope) =>
  order.topic === topic && (partition === null || order.partition === null || order.partition === partition);
const coversAll = (order: Scope, scope: Scope) =>
  isOf(order, scope) && (order.partition === null || order.partition === scope.partition);

/** Why a topic or a partition cannot take an order now; null: it can. Undefined lists are not known. Pure. */
export function partRefusal(
  kind: OrderKind,
  scope: Scope,
  holds: readonly Scope[] | undefined,
  stops: readonly Scope[] | undefined,
): string | null {
  const part = scope.partition === null ? "topic" : "partition";
  const isIn = (orders: readonly Scope[] | undefined, does: typeof isOf) =>
    orders?.some((order) => does(order, scope));
  if (kind === "resume" && isIn(holds, isOf) === false) return `The ${part} is not paused`;
  if (kind === "start" && isIn(stops, isOf) === false) return `The ${part} is not stopped`;
  if (kind === "stop" && isIn(stops, coversAll)) return `The ${part} is stopped`;
  if ((kind === "pause" || kind === "restart") && isIn(stops, coversAll))
    return `The ${part} is stopped: start it`;
  if (kind === "pause" && isIn(holds, coversAll)) return `The ${part} is paused`;
  return null;
}

/** The orders for all of a flow in its state; undefined: not known yet. The status is often known first. Pure. */
export function offeredOf(
  status: FlowStatus | undefined,
  ordered: Flow["ordered_state"] | undefined,
): readonly OrderKind[] {
  const isDisabled = status === "disabled";
  const isPaused = ordered === "pause" || (ordered === undefined && status === "paused");
  return [
    ...(isDisabled ? (["enable"] as const) : []),
    isPaused ? "resume" : "pause",
    ordered === "stop" ? "start" : "stop",
    "restart",
    "throttle",
    "reset",
    ...(isDisabled ? [] : (["disable"] as const)),
    "delete",
  ];
}

const MINUTE_MS = 60_000;

/** The lengths of a pause, stop or throttle. */
export const ENDS = [
  { value: "", label: "Manually", length_ms: null },
  { value: "15m", label: "In 15 minutes", length_ms: 15 * MINUTE_MS },
  { value: "1h", label: "In 1 hour", length_ms: 60 * MINUTE_MS },
  { value: "8h", label: "In 8 hours", length_ms: 480 * MINUTE_MS },
  { value: "24h", label: "In 24 hours", length_ms: 1_440 * MINUTE_MS },
] as const;

/** The time at which an order ends that is given now; null: by hand. Pure. */
export function endOf(value: string, now_ms: number): number | null {
  const length_ms = ENDS.find((end) => end.value === value)?.length_ms ?? null;
  return length_ms === null ? null : now_ms + length_ms;
}

const MB = 1_000_000;

/** The highest rate in MB per second. */
export const MOST_RATE = MOST_BYTES_PER_SECOND / MB;

/** Bytes per second of a rate in MB per second; null: the text is no rate. Pure. */
export function rateOf(text: string): number | null {
  const trimmed = text.trim();
  if (!/^\d+(\.\d{1,6})?$/.test(trimmed)) return null;
  const rate = Math.round(Number(trimmed) * MB);
  return rate > 0 && rate <= MOST_BYTES_PER_SECOND ? rate : null;
}
