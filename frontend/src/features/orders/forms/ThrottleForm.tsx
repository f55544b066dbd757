import { NativeSelect } from "@mantine/core";
import { useState } from "react";
import { giveOrder } from "@/api/orders";
import type { OrderBody } from "@/api/types";
import { sameOrder } from "@/features/orders/commands";
import {
  EndField,
  isPartition,
  PartitionField,
  RateField,
  ReasonField,
  TopicField,
} from "@/features/orders/fields";
import { rehearse } from "@/features/orders/forms/VerbForm";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { endOf, rateOf, type Scope } from "@/features/orders/order";
import { wholeNumber } from "@/lib/words";

const OF_FLOW =
  "The tasks share the limit equally. It overrides srm.throttle.rate, but not a window of srm.throttle.schedule.";
const OF_PART =
  "It is read at most this fast, and the others continue as before. Tasks share the limit by their partitions of the topic. The throttle of the flow still limits all of its topics.";

/** The form that limits the throughput of a flow, a topic or a partition, or removes the limit. */
export function ThrottleForm(props: OrderFormProps & { scope: Scope }) {
  const { flow, scope } = props;
  const [topic, setTopic] = useState(scope.topic);
  const [partition, setPartition] = useState(scope.partition === null ? "" : String(scope.partition));
  const [isLimited, setLimited] = useState(true);
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const rate = rateOf(typed);
  const isPart = topic.trim() !== "";
  const isPlace = isPartition(partition) && (isPart || partition.trim() === "");
  const order: OrderBody = {
    action: "throttle",
    reason: reason.trim(),
    bytes_per_second: isLimited ? rate : null,
    until_ms: isLimited ? endOf(end, Date.now()) : null,
    ...(isPart ? { scope: { topic: topic.trim(), partition: wholeNumber(partition) } } : {}),
  };
  const give = async () => {
    const { id, text } = await giveOrder(flow, order, false);
    return { text, actionId: id };
  };
  return (
    <OrderPanel
      {...props}
      title={`Throttle ${isPart ? "a topic" : "the flow"}`}
      effect={isPart ? OF_PART : OF_FLOW}
      submit={isLimited ? "Set the throttle" : "Remove the throttle"}
      isReady={reason.trim() !== "" && isPlace && (!isLimited || rate !== null)}
      give={give}
      rehearse={() => rehearse(flow, order)}
      same={sameOrder(flow, order)}
    >
      <TopicField flow={flow} value={topic} onChange={setTopic} isWholeFlow />
      <PartitionField value={partition} onChange={setPartition} />
      <NativeSelect
        size="xs"
        label="Throttle"
        description={isPart ? "Of the topic or partition" : "Of the whole flow"}
        data={[
          { value: "limit", label: "Limit the throughput" },
          { value: "none", label: "Remove the throttle" },
        ]}
        value={isLimited ? "limit" : "none"}
        onChange={(event) => setLimited(event.currentTarget.value === "limit")}
      />
      {isLimited && <RateField value={typed} onChange={setTyped} />}
      <ReasonField value={reason} onChange={setReason} isRequired />
      {isLimited && <EndField value={end} onChange={setEnd} />}
    </OrderPanel>
  );
}
