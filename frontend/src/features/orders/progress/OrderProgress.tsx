import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { GivenOrder } from "@/features/orders/order";
import { OrderSteps, ResetSteps } from "@/features/orders/progress/OrderSteps";
import { refreshOrders } from "@/features/orders/refresh";

interface OrderProgressProps {
  flow: FlowAddress;
  order: GivenOrder;
  onGiven: (order: GivenOrder) => void;
}

/** The order given last and how far it has come. */
export function OrderProgress({ flow, order, onGiven }: OrderProgressProps) {
  return (
    <p className="order-progress" role="status">
      {order.text}
      {order.actionId !== null && <OrderSteps flow={flow} actionId={order.actionId} />}
      {order.resets !== undefined && <ResetSteps flow={flow} ids={order.resets} />}
      {order.undo !== undefined && <Undo flow={flow} undo={order.undo} onGiven={onGiven} />}
    </p>
  );
}

interface UndoProps extends Omit<OrderProgressProps, "order"> {
  undo: () => Promise<GivenOrder>;
}

function Undo({ flow, undo, onGiven }: UndoProps) {
  const queries = useQueryClient();
  const back = useMutation({
    mutationFn: undo,
    onSuccess: onGiven,
    onSettled: () => refreshOrders(queries, flow),
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={back.isPending} onClick={() => back.mutate()}>
        Undo
      </Button>
      {back.error !== null && (
        <span role="alert" className="reason">
          {reasonOf(back.error)}
        </span>
      )}
    </>
  );
}
