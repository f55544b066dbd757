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
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { type DryRun, endOf, type GivenOrder, type Scope, type Verb } from "@/features/orders/order";
import { wholeNumber } from "@/lib/words";

const WORDS: Record<Verb, { title: string; flow: string; part: string; undo?: Verb }> = {
  pause: {
    title: "Pause",
    flow: "No topic of the flow is copied, and every position is kept. Retention on the source continues: a long pause can lose records.",
    part: "It is not read until the pause ends or is taken back. It stays in its task, and the others continue.",
    undo: "resume",
  },
  resume: {
    title: "Resume",
    flow: "Every partition continues where it stopped. Pauses of topics remain.",
    part: "It is read again, at its position. Its pauses end.",
  },
  stop: {
    title: "Stop",
    flow: "All tasks of the flow end, also its heartbeat. Positions are kept. Retention on the source continues: a long stop can lose records.",
    part: "It leaves its task; what is on its way is committed first. Its position is kept, and the others continue.",
    undo: "start",
  },
  start: {
    title: "Start",
    flow: "The tasks of the flow start, at their positions.",
    part: "It returns to a task, at its position.",
  },
  restart: {
    title: "Restart",
    flow: "All tasks of the flow end and begin again at their committed positions.",
    part: "What is on its way is dropped, and it begins again at its committed position. No other partition pauses.",
  },
};

/** The form of a verb for a flow, a topic or a partition. */
export function VerbForm(props: OrderFormProps & { verb: Verb; scope: Scope }) {
  const { flow, verb, scope } = props;
  const [topic, setTopic] = useState(scope.topic);
  const [partition, setPartition] = useState(scope.partition === null ? "" : String(scope.partition));
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const [typed, setTyped] = useState("");
  const { title, flow: ofFlow, part: ofPart } = WORDS[verb];
  const isPart = topic.trim() !== "";
  const order = orderOf(verb, topic, partition, reason, verb === "pause" || verb === "stop" ? end : "");
  const name = isPart ? topic.trim() : `${flow.source}->${flow.target}`;
  const isConfirmed = verb !== "stop" || typed.trim() === name;
  const isPlace = isPartition(partition) && (isPart || partition.trim() === "");
  return (
    <OrderPanel
      {...props}
      title={`${title} ${isPart ? "a topic" : "the flow"}`}
      effect={isPart ? ofPart : ofFlow}
      submit={`${title} ${isPart ? "the topic" : "the flow"}`}
      isReady={reason.trim() !== "" && isPlace && isConfirmed}
      canRehearse={reason.trim() !== "" && isPlace}
      isDangerous={verb === "stop"}
      give={() => give(flow, order)}
      rehearse={() => rehearse(flow, order)}
      same={sameOrder(flow, order)}
    >
      <TopicField flow={flow} value={topic} onChange={setTopic} isWholeFlow />
      <PartitionField value={partition} onChange={setPartition} />
      <ReasonField value={reason} onChange={setReason} isRequired />
      {(verb === "pause" || verb === "stop") && <EndField value={end} onChange={setEnd} />}
      {verb === "stop" && <ConfirmField name={name} value={typed} onChange={setTyped} />}
    </OrderPanel>
  );
}

function orderOf(verb: Verb, topic: string, partition: string, reason: string, end: string): OrderBody {
  const isPart = topic.trim() !== "";
  return {
    action: verb,
    reason: reason.trim(),
    ...(isPart ? { scope: { topic: topic.trim(), partition: wholeNumber(partition) } } : {}),
    ...(end === "" ? {} : { until_ms: endOf(end, Date.now()) }),
  } as OrderBody;
}

async function give(flow: FlowAddress, order: OrderBody): Promise<GivenOrder> {
  const { id, text, changed } = await giveOrder(flow, order, false);
  const { [order.action as Verb]: words } = WORDS;
  const { undo: action } = words;
  if (action === undefined || !changed) return { text, actionId: id };
  const { until_ms: _, ...back } = order;
  return {
    text,
    actionId: id,
    undo: () => give(flow, { ...back, action, reason: `undone: ${order.reason}` }),
  };
}

export async function rehearse(flow: FlowAddress, order: OrderBody): Promise<DryRun> {
  const { text, touches, names } = await giveOrder(flow, order, true);
  return { text: [text], touches, names: names && { topics: names.topics, tasks: names.tasks } };
}
