import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { holdsQuery, stopsQuery, topicThrottlesQuery } from "@/api/control";
import { rehearseReset, requestReset } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import { wholeOf } from "@/components/PagedTable";
import { inTurn, sameOrder, sameReset } from "@/features/orders/commands";
import { ManyForm } from "@/features/orders/many/ManyForm";
import type { ManyAction, ManyOrder, OneResult } from "@/features/orders/many/many-order";
import {
  bodyOf,
  giveOne,
  oneByOne,
  type ThrottleAction,
  throttleActions,
} from "@/features/orders/many/one-by-one";
import { nameOf } from "@/features/orders/many/parts";
import { partRefusal, type Scope, type Verb } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";
import { VERBS } from "@/features/orders/verbs";
import { plural } from "@/lib/format";

type PartAction = Verb | ThrottleAction | "reset";

const VERB_ACTIONS = Object.fromEntries(
  Object.entries(VERBS).map(([verb, { title, part, undo }]) => [verb, { label: title, effect: part, undo }]),
) as Record<Verb, ManyAction<Verb>>;

const ACTIONS: Record<PartAction, ManyAction<PartAction>> = {
  ...VERB_ACTIONS,
  ...throttleActions(
    "Each is read at this rate or less.",
    "Each is read as fast as the throttle of the flow allows.",
  ),
  reset: {
    label: "Reset",
    effect:
      "Each continues at this position. Backward, records are copied a second time. Forward, the records in between are never copied. A completed reset cannot be undone.",
  },
};

interface ManyPartsProps {
  flow: FlowAddress;
  parts: readonly Scope[];
  /** how many of them the filter hides */
  hidden?: number;
  onClear: () => void;
}

/** One action on the chosen topics and partitions, with a result for each. */
export default function ManyParts({ flow, parts, hidden = 0, onClear }: ManyPartsProps) {
  const queries = useQueryClient();
  const holds = wholeOf(useInfiniteQuery(holdsQuery(flow)));
  const stops = wholeOf(useInfiniteQuery(stopsQuery(flow)));
  const throttles = wholeOf(useInfiniteQuery(topicThrottlesQuery(flow)));
  const isTopics = parts.every(({ partition }) => partition === null);
  return (
    <ManyForm<PartAction>
      one={isTopics ? "topic" : "part"}
      names={parts.map(nameOf)}
      hidden={hidden}
      actions={ACTIONS}
      first="pause"
      confirmed={["stop", "reset"]}
      act={(order, isDryRun, names) => {
        const wanted = parts.filter((part) => names.has(nameOf(part)));
        return oneByOne(wanted, nameOf, (part) =>
          order.action === "reset"
            ? resetOne(flow, part, order, isDryRun)
            : giveOne(flow, bodyOf({ ...order, action: order.action }, part), isDryRun),
        );
      }}
      refusalOf={(action) => refusalOf(action, parts, { holds, stops, throttles })}
      sameOf={(order) =>
        inTurn(
          parts.map((part) =>
            order.action === "reset"
              ? resetByHand(flow, part, order)
              : sameOrder(flow, bodyOf({ ...order, action: order.action }, part)),
          ),
        )
      }
      refresh={() => refreshOrders(queries, flow)}
      onClear={onClear}
    />
  );
}

interface InForce {
  /** undefined: not known to its end */
  holds: readonly Scope[] | undefined;
  stops: readonly Scope[] | undefined;
  throttles: readonly Scope[] | undefined;
}

/** Why none of the parts can get an action now; null: one of them can. */
function refusalOf(action: PartAction, parts: readonly Scope[], { holds, stops, throttles }: InForce) {
  if (action === "unthrottle") {
    const isThrottled = ({ topic, partition }: Scope) =>
      throttles?.some((one) => one.topic === topic && one.partition === partition);
    return parts.every((part) => isThrottled(part) === false) ? "None of them is throttled" : null;
  }
  const reasons = parts.map((part) => partRefusal(action, part, holds, stops));
  return reasons.includes(null) ? null : (reasons[0] ?? null);
}

function resetByHand(flow: FlowAddress, { topic, partition }: Scope, { to, reason }: ManyOrder<PartAction>) {
  return sameReset(flow, { topic, partition, to: to ?? "earliest", reason });
}

async function resetOne(
  flow: FlowAddress,
  { topic, partition }: Scope,
  { to, reason }: ManyOrder<PartAction>,
  isDryRun: boolean,
): Promise<Omit<OneResult, "name">> {
  if (to === undefined) throw new Error("Enter the position of the reset.");
  const wanted = { topic, partition, to, reason };
  if (isDryRun) {
    const { text } = await rehearseReset(flow, wanted);
    return { result: "done", text: text.join(" ") };
  }
  const { items } = await requestReset(flow, wanted);
  const resets = { flow, ids: items.map(({ id }) => id) };
  return { result: "done", text: `${plural(items.length, "reset")} ordered`, resets };
}
