import { useState } from "react";
import { actOnFlow } from "@/api/orders";
import { EndField, ReasonField } from "@/features/orders/fields";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { endOf } from "@/features/orders/order";

const TEXTS = {
  pause: {
    title: "Pause the flow",
    effect:
      "No topic of the flow is copied, and every position is kept. Retention on the source continues: a long pause can lose records.",
  },
  resume: { title: "Resume the flow", effect: "Every partition continues where it stopped. Holds remain." },
};

/** The form that pauses or resumes a flow. */
export function PauseForm(props: OrderFormProps & { action: "pause" | "resume" }) {
  const { flow, action } = props;
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const { title, effect } = TEXTS[action];
  const act = (dry_run: boolean) => {
    const until_ms = action === "pause" ? endOf(end, Date.now()) : null;
    return actOnFlow(flow, action, reason.trim(), until_ms, dry_run);
  };
  const give = async () => {
    const { id, text } = await act(false);
    return { text, actionId: id };
  };
  const rehearse = async () => {
    const { text, touches } = await act(true);
    return { text: [text], touches };
  };
  return (
    <OrderPanel
      {...props}
      title={title}
      effect={effect}
      submit={title}
      isReady={reason.trim() !== ""}
      give={give}
      rehearse={rehearse}
    >
      <ReasonField value={reason} onChange={setReason} isRequired />
      {action === "pause" && <EndField value={end} onChange={setEnd} />}
    </OrderPanel>
  );
}
