import { useQueryClient } from "@tanstack/react-query";
import { useMatchRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteFlow } from "@/api/flow/flow-definition";
import { sameDelete } from "@/features/orders/commands";
import { ConfirmField } from "@/features/orders/fields";
import { useFlowVersion } from "@/features/orders/forms/FlowVersion";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { refreshDefinitions } from "@/features/orders/refresh";
import { isNameTyped } from "@/lib/words";
import { flowKey } from "@/live/flow-row";

const EFFECT =
  "The service forgets the flow with its settings, description, orders and resets, and its tasks end. In the target cluster its remote topics, their records and its positions remain: a flow that is created again continues at these positions. The audit trail remains.";

/** The form that deletes a flow; it requires the name of the flow. The pages of the flow end with it. */
export function DeleteForm(props: OrderFormProps) {
  const { flow } = props;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const matchRoute = useMatchRoute();
  const { etag, waiting } = useFlowVersion(flow);
  const [typed, setTyped] = useState("");
  const name = flowKey(flow.source, flow.target);
  const give = async (etag: string | null) => {
    await deleteFlow(flow, etag);
    const isItsPage = matchRoute({ to: "/replications/$source/$target", params: { ...flow }, fuzzy: true });
    if (isItsPage !== false) await navigate({ to: "/replications" });
    await refreshDefinitions(queries);
    return { text: `${name} is deleted`, actionId: null };
  };
  if (etag === undefined) return waiting;
  return (
    <OrderPanel
      {...props}
      title="Delete the flow"
      effect={EFFECT}
      submit="Delete the flow"
      isDangerous
      isReady={isNameTyped(typed, name)}
      give={() => give(etag)}
      same={sameDelete(flow)}
    >
      <ConfirmField name={name} value={typed} onChange={setTyped} />
    </OrderPanel>
  );
}
