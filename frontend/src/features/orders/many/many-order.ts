/** One action on several chosen things. */
import type { FlowAddress } from "@/api/queries";
import type { BulkOutcome, ResetOrder } from "@/api/types";
import { endOf, rateOf } from "@/features/orders/order";
import type { Position } from "@/features/orders/PositionFields";
import { placeOf } from "@/features/orders/place";

/** An action on every chosen thing, as it is sent for each of them. */
export interface ManyOrder<Action extends string> {
  action: Action;
  reason: string;
  until_ms?: number | null;
  /** of a throttle */
  bytes_per_second?: number | null;
  /** of a reset */
  to?: ResetOrder["to"];
}

/** How an action is offered. */
export interface ManyAction<Action extends string = never> {
  label: string;
  effect: string;
  /** the word on the button, before the number of chosen things; absent: the label */
  submit?: string;
  /** the action that takes it back; absent: there is none */
  undo?: Action | undefined;
}

/** The outcome of one chosen thing. */
export interface OneResult {
  name: string;
  result: BulkOutcome;
  text: string;
  /** the order that was given, whose progress is shown */
  order?: { flow: FlowAddress; actionId: number };
  /** the resets that were requested, whose progress is shown */
  resets?: { flow: FlowAddress; ids: readonly string[] };
}

/** The order as it is typed. */
export interface TypedMany<Action extends string> {
  action: Action;
  reason: string;
  end: string;
  rate: string;
  position: Position;
}

export const UNTYPED = {
  reason: "",
  end: "",
  rate: "",
  position: { kind: "earliest", typed: "" } as Position,
};

export const canEnd = (action: string): boolean => ["pause", "stop", "throttle"].includes(action);

/** The order as it is sent. */
export function wantedOf<Action extends string>(typed: TypedMany<Action>): ManyOrder<Action> {
  const { action, reason, end, rate, position } = typed;
  const to = action === "reset" ? placeOf(position.kind, position.typed) : null;
  return {
    action,
    reason: reason.trim(),
    ...(canEnd(action) ? { until_ms: endOf(end, Date.now()) } : {}),
    ...(action === "throttle" ? { bytes_per_second: rateOf(rate) } : {}),
    ...(to === null ? {} : { to }),
  };
}

/** True if everything that the action needs is typed. Pure. */
export function isComplete({ action, reason, rate, position }: TypedMany<string>): boolean {
  if (reason.trim() === "") return false;
  if (action === "throttle") return rateOf(rate) !== null;
  return action !== "reset" || placeOf(position.kind, position.typed) !== null;
}
