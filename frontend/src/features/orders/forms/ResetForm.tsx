import { useState } from "react";
import { rehearseReset, requestReset } from "@/api/orders";
import { sameReset } from "@/features/orders/commands";
import { ConfirmField, isPartition, PartitionField, ReasonField, TopicField } from "@/features/orders/fields";
import { placeFields, useTypedOrder } from "@/features/orders/forms/useTypedOrder";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import type { Scope } from "@/features/orders/order";
import { type Position, PositionFields } from "@/features/orders/PositionFields";
import { placeOf } from "@/features/orders/place";
import { plural } from "@/lib/format";
import { isNameTyped, wholeNumber } from "@/lib/words";

const START: Position = { kind: "earliest", typed: "" };

/** The form that moves the position of a topic; it requires the name of the flow. */
export function ResetForm(props: OrderFormProps & { scope: Scope; position: Position | undefined }) {
  const { flow, scope } = props;
  const name = `${flow.source}->${flow.target}`;
  const [form, change, endings] = useTypedOrder("reset", props, {
    ...placeFields(scope),
    reason: "",
    position: props.position ?? START,
  });
  const { topic, partition, reason, position } = form;
  const [confirmed, setConfirmed] = useState("");
  const to = placeOf(position.kind, position.typed);
  const order =
    to === null
      ? null
      : { topic: topic.trim(), partition: wholeNumber(partition), to, reason: reason.trim() };
  const part = wholeNumber(partition) === null ? "topic" : "partition";
  const isPlace = topic.trim() !== "" && isPartition(partition);
  const give = async () => {
    if (order === null) throw new Error("Enter the position of the reset.");
    const { items } = await requestReset(flow, order);
    return {
      text: `${plural(items.length, "reset")} of ${topic.trim()} ordered`,
      actionId: null,
      resets: items.map(({ id }) => id),
    };
  };
  const rehearse = async () => {
    if (order === null) throw new Error("Enter the position of the reset.");
    return rehearseReset(flow, order);
  };
  return (
    <OrderPanel
      {...props}
      {...endings}
      title={`Reset a ${part}`}
      effect="Backward, records are copied a second time. Forward, the records in between are never copied; a gap record lists them. A completed reset cannot be undone."
      submit={`Reset the ${part}`}
      isDangerous
      isReady={isPlace && order !== null && reason.trim() !== "" && isNameTyped(confirmed, name)}
      canRehearse={isPlace && order !== null}
      give={give}
      rehearse={rehearse}
      same={order === null ? null : sameReset(flow, order)}
    >
      <TopicField flow={flow} value={topic} onChange={(topic) => change({ topic })} />
      <PartitionField value={partition} onChange={(partition) => change({ partition })} />
      <PositionFields value={position} onChange={(position) => change({ position })} />
      <ReasonField value={reason} onChange={(reason) => change({ reason })} />
      <ConfirmField name={name} value={confirmed} onChange={setConfirmed} />
    </OrderPanel>
  );
}
