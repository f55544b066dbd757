/** Orders that are sent for one chosen thing after the other: one that is refused stops no other. */
import { giveOrder } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { OrderBody } from "@/api/types";
import type { ManyAction, ManyOrder, OneResult } from "@/features/orders/many/many-order";

/** A throttle, and its removal. */
export type ThrottleAction = "throttle" | "unthrottle";

export const isThrottleAction = (action: string): action is ThrottleAction =>
  action === "throttle" || action === "unthrottle";

/** How a throttle and its removal are offered; the effects are of each chosen thing. */
export function throttleActions(limited: string, free: string): Record<ThrottleAction, ManyAction> {
  return {
    throttle: { label: "Throttle", effect: limited },
    unthrottle: { label: "Remove the throttle", effect: free, submit: "Remove the throttle of" },
  };
}

/** The order of one flow, or of a part of it. Pure. */
export function bodyOf<Action extends OrderBody["action"] | ThrottleAction>(
  { action, to: _, ...order }: ManyOrder<Action>,
  scope?: OrderBody["scope"],
): OrderBody {
  const isRemoval = action === "unthrottle";
  return {
    ...order,
    ...(isRemoval ? { bytes_per_second: null } : {}),
    action: isRemoval ? "throttle" : action,
    ...(scope === undefined ? {} : { scope }),
  };
}

/** Gives an order, and returns the result as that of a chosen thing. */
export async function giveOne(flow: FlowAddress, order: OrderBody, isDryRun: boolean) {
  const { changed, text, id } = await giveOrder(flow, order, isDryRun);
  const steps = isDryRun || id == null ? {} : { order: { flow, actionId: id } };
  return { result: changed ? ("done" as const) : ("unchanged" as const), text, ...steps };
}

export async function oneByOne<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  give: (item: Item) => Promise<Omit<OneResult, "name">>,
): Promise<OneResult[]> {
  const results: OneResult[] = [];
  for (const item of items) {
    const name = nameOf(item);
    try {
      results.push({ name, ...(await give(item)) });
    } catch (error) {
      results.push({ name, result: "refused", text: reasonOf(error) });
    }
  }
  return results;
}
