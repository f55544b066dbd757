import { useQuery } from "@tanstack/react-query";
import { type FlowAddress, flowQuery, meQuery } from "@/api/queries";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { OrderItems } from "@/features/orders/OrderItems";
import { offeredOf, refusal } from "@/features/orders/order";

/** The orders for a flow as items of a menu; none for those who may not give any. */
export function FlowOrderItems({ source, target, onOrder }: FlowAddress & { onOrder: OpenOrder }) {
  const { data: me } = useQuery(meQuery);
  const mayAct = me?.permissions.includes("flows.act") ?? false;
  const { data: flow } = useQuery({ ...flowQuery({ source, target }), enabled: mayAct });
  if (!mayAct) return null;
  return (
    <OrderItems
      kinds={offeredOf(flow?.ordered_state)}
      refusalOf={(kind) => refusal(kind, flow?.status, flow?.ordered_state)}
      onPick={(kind) => onOrder({ flow: { source, target }, kind })}
    />
  );
}
