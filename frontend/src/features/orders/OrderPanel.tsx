import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef } from "react";
import type { FlowAddress } from "@/api/queries";
import type { GivenOrder } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";

export interface OrderFormProps {
  flow: FlowAddress;
  onClose: () => void;
  onGiven: (order: GivenOrder) => void;
}

interface OrderPanelProps extends OrderFormProps {
  title: string;
  /** describes what the order does */
  effect: ReactNode;
  /** the word on the button that gives the order */
  submit: string;
  isReady: boolean;
  /** true when the order cannot be undone */
  isDangerous?: boolean;
  give: () => Promise<GivenOrder>;
  children?: ReactNode;
}

/** The form of an order: its effect, its fields and, after a refusal, the reason. */
export function OrderPanel(props: OrderPanelProps) {
  const { flow, title, effect, submit, isReady, isDangerous = false, give, onClose, onGiven } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: give,
    onSuccess: onGiven,
    onSettled: () => refreshOrders(queries, flow),
  });
  useEffect(() => heading.current?.focus(), []);
  return (
    <form
      className="order-panel"
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !order.isPending) order.mutate();
      }}
    >
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      <p className="muted">{effect}</p>
      <div className="order-fields">{props.children}</div>
      {order.error !== null && (
        <p role="alert" className="order-refused">
          {order.error.message}
        </p>
      )}
      <div className="order-buttons">
        <Button
          size="xs"
          type="submit"
          disabled={!isReady}
          loading={order.isPending}
          {...(isDangerous ? { color: "red" } : {})}
        >
          {submit}
        </Button>
        <Button size="xs" variant="default" disabled={order.isPending} onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
