import { useState } from "react";
import { giveOrder } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { OrderBody } from "@/api/types";
import { sameOrder } from "@/features/orders/commands";
import {
  ConfirmField,
  EndField,
  isPartition,
  PartitionField,
  ReasonField,
  TopicField,
} from "@/features/orders/fields";
import { placeFields, useTypedOrder } from "@/features/orders/forms/useTypedOrder";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { type DryRun, endOf, type GivenOrder, type Scope, type Verb } from "@/features/orders/order";
import { VERBS } from "@/features/orders/verbs";
import { sourceTaskName } from "@/lib/tasks";
import { isNameTyped, wholeNumber } from "@/lib/words";

/** The form of a verb for a flow, a topic or a partition. */
export function VerbForm(props: OrderFormProps & { verb: Verb; scope: Scope }) {
  const { flow, verb, scope } = props;
  const [form, change, endings] = useTypedOrder(verb, props, { ...placeFields(scope), reason: "", end: "" });
  const { topic, partition, reason, end } = form;
  const [typed, setTyped] = useState("");
  const { title, flow: ofFlow, part: ofPart, task: ofTask } = VERBS[verb];
  const { task } = scope;
  const isTask = task !== undefined;
  const isPart = topic.trim() !== "";
  const order = orderOf(verb, isTask ? scope : topicOf(topic, partition), reason, canEnd(verb) ? end : "");
  const name = isPart ? topic.trim() : `${flow.source}->${flow.target}`;
  const part = wholeNumber(partition) === null ? "topic" : "partition";
  const place = isTask ? sourceTaskName(task) : isPart ? `a ${part}` : "the flow";
  const isConfirmed = verb !== "stop" || isNameTyped(typed, name);
  const isPlace = isPartition(partition) && (isPart || partition.trim() === "");
  return (
    <OrderPanel
      {...props}
      {...endings}
      title={`${title} ${place}`}
      effect={isTask ? ofTask : isPart ? ofPart : ofFlow}
      submit={`${title} ${isPart ? `the ${part}` : place}`}
      isReady={reason.trim() !== "" && isPlace && isConfirmed}
      canRehearse={reason.trim() !== "" && isPlace}
      isDangerous={verb === "stop"}
      give={() => give(flow, order)}
      rehearse={() => rehearse(flow, order)}
      same={sameOrder(flow, order)}
    >
      {!isTask && (
        <TopicField flow={flow} value={topic} onChange={(topic) => change({ topic })} isWholeFlow />
      )}
      {!isTask && <PartitionField value={partition} onChange={(partition) => change({ partition })} />}
      <ReasonField value={reason} onChange={(reason) => change({ reason })} />
      {canEnd(verb) && <EndField value={end} onChange={(end) => change({ end })} />}
      {verb === "stop" && <ConfirmField name={name} value={typed} onChange={setTyped} />}
    </OrderPanel>
  );
}

const canEnd = (verb: Verb) => verb === "pause" || verb === "stop";

/** The scope of what is typed; null: the whole flow. */
function topicOf(topic: string, partition: string): Scope | null {
  return topic.trim() === "" ? null : { topic: topic.trim(), partition: wholeNumber(partition) };
}

function orderOf(verb: Verb, scope: Scope | null, reason: string, end: string): OrderBody {
  return {
    action: verb,
    reason: reason.trim(),
    ...(scope === null ? {} : { scope }),
    ...(end === "" ? {} : { until_ms: endOf(end, Date.now()) }),
  } as OrderBody;
}

async function give(flow: FlowAddress, order: OrderBody): Promise<GivenOrder> {
  const { id, text, changed } = await giveOrder(flow, order, false);
  const { [order.action as Verb]: words } = VERBS;
  const { undo: action } = words;
  const orders = order.scope === undefined ? ordersOf(order.action as Verb) : undefined;
  if (action === undefined || !changed) return { text, orders, actionId: id };
  const { until_ms: _, ...back } = order;
  return {
    text,
    orders,
    actionId: id,
    undo: () => give(flow, { ...back, action, reason: `undone: ${order.reason}` }),
  };
}

const ordersOf = (verb: Verb): GivenOrder["orders"] =>
  verb === "pause" || verb === "stop" ? { state: verb, at_ms: Date.now() } : undefined;

export async function rehearse(flow: FlowAddress, order: OrderBody): Promise<DryRun> {
  const { text, touches, names } = await giveOrder(flow, order, true);
  return { text: [text], touches, names: names && { topics: names.topics, tasks: names.tasks } };
}
