/** An order as a command of srm-control and as a REST request, to copy. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { BulkRequest, OrderBody, ResetOrder } from "@/api/types";
import type { Switch } from "@/features/orders/order";
import { type ByHand, commandOf, deleteOf, flowPath, patchOf, postOf, postTo } from "@/lib/by-hand";

export function sameOrder(flow: FlowAddress, order: OrderBody): ByHand {
  const { action, reason, scope, until_ms, bytes_per_second } = order;
  const rate = action === "throttle" ? [bytes_per_second === null ? "off" : String(bytes_per_second)] : [];
  const words = ["flows", action, `${flow.source}->${flow.target}`, ...rate];
  const until = untilWord(until_ms);
  const options = { topic: scope?.topic, partition: scope?.partition, task: scope?.task, reason, until };
  return { command: commandOf(words, options), request: postOf(flow, "actions", order) };
}

export function sameReset(
  flow: FlowAddress,
  order: Omit<ResetOrder, "dry_run">,
): ByHand & { command: string } {
  const { topic, partition, to, reason } = order;
  const words = ["topics", "reset", `${flow.source}->${flow.target}`];
  const options = { topic, partition, to: placeWord(to), reason };
  return { command: commandOf(words, options), request: postOf(flow, "resets", order) };
}

/** No command withdraws a reset. */
export function sameWithdrawal(flow: FlowAddress, reset_id: string, reason: string): ByHand {
  const query = new URLSearchParams({ reason });
  return { command: null, request: deleteOf(`${flowPath(flow, `resets/${reset_id}`)}?${query}`) };
}

/** One action on several flows. The command names it as the request does. */
export function sameBulk(
  flows: readonly FlowAddress[],
  { action, reason, until_ms }: Pick<BulkRequest, "action" | "reason" | "until_ms">,
): ByHand {
  const names = flows.map(({ source, target }) => `${source}->${target}`);
  const until = untilWord(until_ms);
  const pairs = flows.map(({ source, target }) => ({ source, target }));
  return {
    command: commandOf(["flows", "act", action, ...names], { reason, until }),
    request: postTo("replications/actions", { action, reason, flows: pairs, until_ms: until_ms ?? null }),
  };
}

/** One call after the other. */
export function inTurn(calls: readonly ByHand[]): ByHand {
  const commands = calls.flatMap(({ command }) => command ?? []);
  return {
    command: commands.length === 0 ? null : commands.join("\n"),
    request: calls.map(({ request }) => request).join("\n"),
  };
}

const untilWord = (until_ms: number | null | undefined) =>
  until_ms === null || until_ms === undefined ? null : new Date(until_ms).toISOString();

export function sameSwitch(flow: FlowAddress, action: Switch, comment: string): ByHand {
  return {
    command: commandOf(["flows", action, `${flow.source}->${flow.target}`], { reason: comment }),
    request: patchOf(flowPath(flow), { enabled: action === "enable", comment }),
  };
}

export function sameDelete(flow: FlowAddress, reason: string): ByHand {
  return {
    command: commandOf(["flows", "delete", `${flow.source}->${flow.target}`], { reason }),
    request: deleteOf(`${flowPath(flow)}?${new URLSearchParams({ reason })}`),
  };
}

function placeWord(to: ResetOrder["to"]): string {
  if (typeof to === "string") return to;
  return "offset" in to ? `offset:${to.offset}` : new Date(to.timestamp_ms).toISOString();
}
