import { useQueryClient } from "@tanstack/react-query";
import { giveOrder } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { OrderBody } from "@/api/types";
import { type ManyAction, ManyForm, type ManyOrder, type OneResult } from "@/features/orders/many/ManyForm";
import { partName } from "@/features/orders/many/parts";
import type { Scope, Verb } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";
import { VERBS } from "@/features/orders/verbs";

type PartAction = Verb | "throttle" | "unthrottle";

const VERB_ACTIONS = Object.fromEntries(
  Object.entries(VERBS).map(([verb, { title, part }]) => [verb, { label: title, effect: part }]),
) as Record<Verb, ManyAction>;

const ACTIONS: Record<PartAction, ManyAction> = {
  ...VERB_ACTIONS,
  throttle: { label: "Throttle", effect: "Each of them is read at most this fast." },
  unthrottle: {
    label: "Remove the throttle",
    effect: "Each of them is read as fast as the throttle of the flow allows.",
    submit: "Remove the throttle of",
  },
};

/** The order of one part. Pure. */
function bodyOf({ action, ...order }: ManyOrder<PartAction>, scope: Scope): OrderBody {
  const isRemoval = action === "unthrottle";
  const removal = isRemoval ? { bytes_per_second: null } : {};
  return { ...order, ...removal, action: isRemoval ? "throttle" : action, scope };
}

interface ManyPartsProps {
  flow: FlowAddress;
  parts: readonly Scope[];
  onClear: () => void;
}

/** One action on the chosen topics and partitions, with a result for each. */
export default function ManyParts({ flow, parts, onClear }: ManyPartsProps) {
  const queries = useQueryClient();
  const isTopics = parts.every(({ partition }) => partition === null);
  return (
    <ManyForm<PartAction>
      one={isTopics ? "topic" : "part"}
      count={parts.length}
      actions={ACTIONS}
      first="pause"
      confirmed={["stop"]}
      act={(order, isDryRun) => actOnParts(flow, parts, order, isDryRun)}
      refresh={() => refreshOrders(queries, flow)}
      onClear={onClear}
    />
  );
}

/** Orders the parts one after the other. */
async function actOnParts(
  flow: FlowAddress,
  parts: readonly Scope[],
  order: ManyOrder<PartAction>,
  isDryRun: boolean,
): Promise<OneResult[]> {
  const results: OneResult[] = [];
  for (const scope of parts) {
    const name = partName(scope);
    try {
      const { changed, text } = await giveOrder(flow, bodyOf(order, scope), isDryRun);
      results.push({ name, result: changed ? "done" : "unchanged", text });
    } catch (error) {
      results.push({ name, result: "refused", text: reasonOf(error) });
    }
  }
  return results;
}
