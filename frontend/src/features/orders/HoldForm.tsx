import { useState } from "react";
import { rehearseHold, setHold } from "@/api/orders";
import { EndField, isPartition, PartitionField, ReasonField, TopicField } from "@/features/orders/fields";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { endOf, wholeNumber } from "@/features/orders/order";

/** The form that holds a topic or one of its partitions. */
export function HoldForm(props: OrderFormProps) {
  const { flow } = props;
  const [topic, setTopic] = useState("");
  const [partition, setPartition] = useState("");
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const wanted = () => ({
    topic: topic.trim(),
    partition: wholeNumber(partition),
    reason: reason.trim(),
    until_ms: endOf(end, Date.now()),
  });
  const give = async () => {
    const hold = await setHold(flow, wanted());
    const part = hold.partition === null ? hold.topic : `${hold.topic}, partition ${hold.partition}`;
    return { text: `The hold of ${part} is ordered`, actionId: null };
  };
  return (
    <OrderPanel
      {...props}
      title="Hold a topic"
      effect="The topic is not read until the hold ends or is released. Other topics continue. A second hold of the same topic replaces the first."
      submit="Hold the topic"
      isReady={topic.trim() !== "" && isPartition(partition)}
      give={give}
      rehearse={() => rehearseHold(flow, wanted())}
    >
      <TopicField flow={flow} value={topic} onChange={setTopic} />
      <PartitionField value={partition} onChange={setPartition} />
      <ReasonField value={reason} onChange={setReason} />
      <EndField value={end} onChange={setEnd} />
    </OrderPanel>
  );
}
