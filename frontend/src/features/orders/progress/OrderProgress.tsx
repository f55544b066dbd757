import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type FlowAddress, flowQuery } from "@/api/queries";
import { FormProblem } from "@/components/form/FormProblem";
import { StateBadge } from "@/components/StateBadge";
import { ConfirmField } from "@/features/orders/fields";
import type { GivenOrder } from "@/features/orders/order";
import { OrderSteps, ResetSteps } from "@/features/orders/progress/OrderSteps";
import { TasksLeft } from "@/features/orders/progress/TasksLeft";
import { refreshOrders } from "@/features/orders/refresh";
import { isNameTyped } from "@/lib/words";

interface OrderProgressProps {
  flow: FlowAddress;
  order: GivenOrder;
  onGiven: (order: GivenOrder) => void;
}

/** The order given last and how far it has come; one that a later order took back has no Undo. */
export function OrderProgress({ flow, order, onGiven }: OrderProgressProps) {
  const isUndone = useIsUndone(flow, order.orders);
  if (isUndone) {
    return (
      <p className="order-progress" role="status">
        {order.text}
        <StateBadge tone="idle" word="Undone" />
      </p>
    );
  }
  return (
    <div className="order-progress">
      <span role="status">{order.text}</span>
      {order.actionId !== null && <OrderSteps flow={flow} actionId={order.actionId} isAnnounced />}
      {order.isDeletion === true && <TasksLeft {...flow} />}
      {order.resets !== undefined && <ResetSteps flow={flow} ids={order.resets} isAnnounced />}
      {order.undo !== undefined && (
        <Undo flow={flow} undo={order.undo} name={order.undoName} onGiven={onGiven} />
      )}
    </div>
  );
}

/** True when the flow was read after the order, and another state is ordered of it. */
function useIsUndone(flow: FlowAddress, orders: GivenOrder["orders"]): boolean {
  const { data, dataUpdatedAt } = useQuery({ ...flowQuery(flow), enabled: orders !== undefined });
  const ordered = data?.ordered_state;
  if (orders === undefined || ordered === undefined || dataUpdatedAt < orders.at_ms) return false;
  return ordered !== orders.state;
}

interface UndoProps extends Omit<OrderProgressProps, "order"> {
  undo: () => Promise<GivenOrder>;
  /** what has to be typed before; undefined: nothing */
  name: string | undefined;
}

function Undo({ flow, undo, name, onGiven }: UndoProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState("");
  const [isAsking, setAsking] = useState(false);
  const back = useMutation({
    mutationFn: undo,
    onSuccess: onGiven,
    onSettled: () => refreshOrders(queries, flow),
  });
  const press = () => (name === undefined || isAsking ? back.mutate() : setAsking(true));
  const isTyped = name === undefined || !isAsking || isNameTyped(typed, name);
  return (
    <>
      {name !== undefined && isAsking && <ConfirmField name={name} value={typed} onChange={setTyped} />}
      <Button
        size="compact-xs"
        variant="default"
        disabled={!isTyped}
        loading={back.isPending}
        onClick={press}
      >
        Undo
      </Button>
      <FormProblem error={back.error} />
    </>
  );
}
