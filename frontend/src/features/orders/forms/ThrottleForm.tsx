import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { giveOrder } from "@/api/orders";
import type { OrderBody } from "@/api/types";
import { sameOrder } from "@/features/orders/commands";
import { EndField, ReasonField } from "@/features/orders/fields";
import { rehearse } from "@/features/orders/forms/VerbForm";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { endOf, rateOf } from "@/features/orders/order";

/** The form that limits the throughput of a flow, or removes the limit. */
export function ThrottleForm(props: OrderFormProps) {
  const { flow } = props;
  const [isLimited, setLimited] = useState(true);
  const [typed, setTyped] = useState("");
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const rate = rateOf(typed);
  const isWrong = typed.trim() !== "" && rate === null;
  const order: OrderBody = {
    action: "throttle",
    reason: reason.trim(),
    bytes_per_second: isLimited ? rate : null,
    until_ms: isLimited ? endOf(end, Date.now()) : null,
  };
  const give = async () => {
    const { id, text } = await giveOrder(flow, order, false);
    return { text, actionId: id };
  };
  return (
    <OrderPanel
      {...props}
      title="Throttle the flow"
      effect="The tasks share the limit equally. It overrides srm.throttle.rate, but not a window of srm.throttle.schedule."
      submit={isLimited ? "Set the throttle" : "Remove the throttle"}
      isReady={reason.trim() !== "" && (!isLimited || rate !== null)}
      give={give}
      rehearse={() => rehearse(flow, order)}
      same={sameOrder(flow, order)}
    >
      <NativeSelect
        size="xs"
        label="Throttle"
        description="Of the whole flow"
        data={[
          { value: "limit", label: "Limit the throughput" },
          { value: "none", label: "Remove the throttle" },
        ]}
        value={isLimited ? "limit" : "none"}
        onChange={(event) => setLimited(event.currentTarget.value === "limit")}
      />
      {isLimited && (
        <TextInput
          size="xs"
          label="MB per second"
          description="1 MB is 1,000,000 bytes"
          inputMode="decimal"
          value={typed}
          required
          error={isWrong ? "A rate is a number above 0, such as 10 or 0.5" : undefined}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ReasonField value={reason} onChange={setReason} isRequired />
      {isLimited && <EndField value={end} onChange={setEnd} />}
    </OrderPanel>
  );
}
