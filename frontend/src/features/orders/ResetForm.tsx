import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { requestReset } from "@/api/orders";
import { isPartition, PartitionField, TopicField } from "@/features/orders/fields";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { wholeNumber } from "@/features/orders/order";
import { placeOf } from "@/features/orders/place";
import { plural } from "@/lib/format";

const PLACES = [
  { value: "earliest", label: "Start of the log" },
  { value: "latest", label: "End of the log" },
  { value: "offset", label: "Offset" },
  { value: "time", label: "Time" },
];

/** The form that moves the position of a topic; it requires the name of the flow. */
export function ResetForm(props: OrderFormProps) {
  const { flow } = props;
  const name = `${flow.source}->${flow.target}`;
  const [topic, setTopic] = useState("");
  const [partition, setPartition] = useState("");
  const [kind, setKind] = useState("earliest");
  const [typed, setTyped] = useState("");
  const [confirmed, setConfirmed] = useState("");
  const to = placeOf(kind, typed);
  const give = async () => {
    if (to === null) throw new Error("Enter the position of the reset.");
    const { items } = await requestReset(flow, {
      topic: topic.trim(),
      partition: wholeNumber(partition),
      to,
      reason: "",
    });
    return { text: `${plural(items.length, "reset")} of ${topic.trim()} ordered`, actionId: null };
  };
  return (
    <OrderPanel
      {...props}
      title="Reset a topic"
      effect="Backward, records are copied a second time. Forward, the records in between are never copied; a gap record lists them. A reset that is done cannot be undone."
      submit="Reset the topic"
      isDangerous
      isReady={topic.trim() !== "" && isPartition(partition) && to !== null && confirmed.trim() === name}
      give={give}
    >
      <TopicField flow={flow} value={topic} onChange={setTopic} />
      <PartitionField value={partition} onChange={setPartition} />
      <NativeSelect
        size="xs"
        label="New position"
        description="The next record to copy"
        data={PLACES}
        value={kind}
        onChange={(event) => {
          setKind(event.currentTarget.value);
          setTyped("");
        }}
      />
      {(kind === "offset" || kind === "time") && (
        <TextInput
          key={kind}
          size="xs"
          label={kind === "offset" ? "Offset on the source" : "Time of the record"}
          description={kind === "offset" ? "Moved to the nearest in the log" : "In your time zone"}
          type={kind === "time" ? "datetime-local" : "text"}
          value={typed}
          required
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <TextInput
        size="xs"
        label="Confirm"
        description={`Type ${name}`}
        value={confirmed}
        required
        autoComplete="off"
        onChange={(event) => setConfirmed(event.currentTarget.value)}
      />
    </OrderPanel>
  );
}
