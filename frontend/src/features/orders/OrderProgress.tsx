import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { actionQuery } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { StateBadge } from "@/components/StateBadge";
import { driversOf, ORDER_STATES, waitingText } from "@/features/orders/list/order-words";
import type { GivenOrder } from "@/features/orders/order";
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
      {order.actionId !== null && <Steps flow={flow} actionId={order.actionId} />}
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

function Steps({ flow, actionId }: { flow: FlowAddress; actionId: number }) {
  const { data: order, error } = useQuery(actionQuery(flow, actionId));
  if (order === undefined) return error === null ? null : <span className="muted">{reasonOf(error)}</span>;
  const waiting = waitingText(order);
  const drivers = driversOf(order);
  return (
    <>
      <StateBadge {...ORDER_STATES[order.state]} />
      {waiting !== "" && <span className="muted">{waiting}</span>}
      {order.refusal !== "" && <span className="reason">{order.refusal}</span>}
      {drivers.length > 0 && <span className="muted">by {drivers.join(", ")}</span>}
    </>
  );
}
