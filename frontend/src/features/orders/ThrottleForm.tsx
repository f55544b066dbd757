import { NativeSelect, TextInput } from "@mantine/core";
import { useState } from "react";
import { setThrottle } from "@/api/orders";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { rateOf } from "@/features/orders/order";
import { bytesPerSecond, joined } from "@/lib/format";

/** The form that limits the throughput of a flow, or removes the limit. */
export function ThrottleForm(props: OrderFormProps) {
  const { flow } = props;
  const [isLimited, setLimited] = useState(true);
  const [typed, setTyped] = useState("");
  const rate = rateOf(typed);
  const isWrong = typed.trim() !== "" && rate === null;
  const limit = isLimited ? rate : null;
  const rehearse = async () => {
    const { text = [], touches } = await setThrottle(flow, limit, true);
    return { text, touches };
  };
  const give = async () => {
    const { bytes_per_second, changed, order } = await setThrottle(flow, limit, false);
    const now =
      bytes_per_second === null ? "no throttle" : `a throttle of ${joined(bytesPerSecond(bytes_per_second))}`;
    return { text: changed ? `The flow has ${now}` : `The flow already has ${now}`, actionId: order.id };
  };
  return (
    <OrderPanel
      {...props}
      title="Throttle the flow"
      effect="The tasks share the limit equally. It overrides srm.throttle.rate, but not a window of srm.throttle.schedule."
      submit={isLimited ? "Set the throttle" : "Remove the throttle"}
      isReady={!isLimited || rate !== null}
      give={give}
      rehearse={rehearse}
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
    </OrderPanel>
  );
}
