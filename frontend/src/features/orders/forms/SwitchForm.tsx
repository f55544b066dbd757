import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { rehearseSwitch, switchFlow } from "@/api/flow/flow-definition";
import { sameSwitch } from "@/features/orders/commands";
import { ConfirmField, ReasonField } from "@/features/orders/fields";
import { useFlowVersion } from "@/features/orders/forms/FlowVersion";
import { useTypedOrder } from "@/features/orders/forms/useTypedOrder";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import type { GivenOrder, Switch } from "@/features/orders/order";
import { refreshDefinitions } from "@/features/orders/refresh";
import { isNameTyped } from "@/lib/words";
import { flowKey } from "@/live/flow-row";

const EFFECTS: Readonly<Record<Switch, string>> = {
  enable:
    "The tasks of the flow start, and it copies what its filters allow, from its committed positions on.",
  disable:
    "The tasks of the flow end: no topic is copied and no group is translated; only its heartbeats continue. Its positions and settings are kept. Retention on the source continues: a flow that is disabled for long can lose records.",
};

/** The form that enables or disables a flow; disabling requires its name. */
export function SwitchForm(props: OrderFormProps & { action: Switch }) {
  const { flow, action } = props;
  const queries = useQueryClient();
  const { etag, waiting } = useFlowVersion(flow);
  const [{ reason }, change, endings] = useTypedOrder(action, props, { reason: "" });
  const [typed, setTyped] = useState("");
  const name = flowKey(flow.source, flow.target);
  const isOn = action === "enable";
  const verb = isOn ? "Enable" : "Disable";
  const give = async (enabled: boolean, comment: string, etag: string | null): Promise<GivenOrder> => {
    const { etag: next, order } = await switchFlow(flow, enabled, comment, etag);
    await refreshDefinitions(queries);
    return {
      text: `${name} is ${enabled ? "enabled" : "disabled"}`,
      actionId: order,
      undo: () => give(!enabled, `undone: ${comment}`, next),
      undoName: enabled ? name : undefined,
    };
  };
  if (etag === undefined) return waiting;
  return (
    <OrderPanel
      {...props}
      {...endings}
      title={`${verb} the flow`}
      effect={EFFECTS[action]}
      submit={`${verb} the flow`}
      canRehearse={reason.trim() !== ""}
      isDangerous={!isOn}
      isReady={reason.trim() !== "" && (isOn || isNameTyped(typed, name))}
      give={() => give(isOn, reason.trim(), etag)}
      rehearse={() => rehearseSwitch(flow, action, reason.trim())}
      same={sameSwitch(flow, action, reason.trim())}
    >
      <ReasonField value={reason} onChange={(reason) => change({ reason })} />
      {!isOn && <ConfirmField name={name} value={typed} onChange={setTyped} />}
    </OrderPanel>
  );
}
