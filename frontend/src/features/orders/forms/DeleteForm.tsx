import { useQueryClient } from "@tanstack/react-query";
import { useMatchRoute, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { deleteFlow, rehearseDelete } from "@/api/flow/flow-definition";
import { sameDelete } from "@/features/orders/commands";
import { ConfirmField, ReasonField } from "@/features/orders/fields";
import { useFlowVersion } from "@/features/orders/forms/FlowVersion";
import { useTypedOrder } from "@/features/orders/forms/useTypedOrder";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { keepDeleted } from "@/features/orders/progress/deleted";
import { refreshDefinitions } from "@/features/orders/refresh";
import { isNameTyped } from "@/lib/words";
import { flowKey } from "@/live/flow-row";

const EFFECT =
  "The service forgets the flow with its settings, description, orders and resets, and its tasks end. In the target cluster its remote topics, their records and its positions remain: a flow that is created again continues at these positions. The audit trail remains.";

/** The form that deletes a flow; it requires its name. The pages of the flow end with it: the overview has the rest. */
export function DeleteForm(props: OrderFormProps) {
  const { flow } = props;
  const queries = useQueryClient();
  const navigate = useNavigate();
  const matchRoute = useMatchRoute();
  const { etag, waiting } = useFlowVersion(flow);
  const [{ reason }, change, endings] = useTypedOrder("delete", props, { reason: "" });
  const [typed, setTyped] = useState("");
  const name = flowKey(flow.source, flow.target);
  const give = async (etag: string | null) => {
    await deleteFlow(flow, reason.trim(), etag);
    const isItsPage = matchRoute({ to: "/replications/$source/$target", params: { ...flow }, fuzzy: true });
    if (isItsPage !== false) {
      keepDeleted(queries, flow);
      await navigate({ to: "/replications" });
    }
    await refreshDefinitions(queries);
    return { text: `${name} is deleted`, actionId: null, isDeletion: true };
  };
  if (etag === undefined) return waiting;
  return (
    <OrderPanel
      {...props}
      {...endings}
      title="Delete the flow"
      effect={EFFECT}
      submit="Delete the flow"
      isDangerous
      canRehearse
      isReady={reason.trim() !== "" && isNameTyped(typed, name)}
      give={() => give(etag)}
      rehearse={() => rehearseDelete(flow)}
      same={sameDelete(flow, reason.trim())}
    >
      <ReasonField value={reason} onChange={(reason) => change({ reason })} />
      <ConfirmField name={name} value={typed} onChange={setTyped} />
    </OrderPanel>
  );
}
