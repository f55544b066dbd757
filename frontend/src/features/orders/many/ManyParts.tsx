import { useQueryClient } from "@tanstack/react-query";
import { giveOrder } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { OrderBody } from "@/api/types";
import { ManyForm, type ManyOrder, type OneResult } from "@/features/orders/many/ManyForm";
import { partName } from "@/features/orders/many/parts";
import type { Scope, Verb } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";
import { VERBS } from "@/features/orders/verbs";

const ACTIONS = Object.fromEntries(
  Object.entries(VERBS).map(([verb, { title, part }]) => [verb, { label: title, effect: part }]),
) as Record<Verb, { label: string; effect: string }>;

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
    <ManyForm<Verb>
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
  order: ManyOrder<Verb>,
  isDryRun: boolean,
): Promise<OneResult[]> {
  const results: OneResult[] = [];
  for (const scope of parts) {
    const name = partName(scope);
    try {
      const { changed, text } = await giveOrder(flow, { ...order, scope } as OrderBody, isDryRun);
      results.push({ name, result: changed ? "done" : "unchanged", text });
    } catch (error) {
      results.push({ name, result: "refused", text: reasonOf(error) });
    }
  }
  return results;
}
