import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { refreshOrders } from "@/features/orders/refresh";

interface EndOrderProps {
  flow: FlowAddress;
  /** names the button */
  label: string;
  end: () => Promise<unknown>;
}

/** The button of a row that ends its order; a refusal is shown below it. */
export function EndOrder({ flow, label, end }: EndOrderProps) {
  const queries = useQueryClient();
  const order = useMutation({ mutationFn: end, onSettled: () => refreshOrders(queries, flow) });
  return (
    <>
      <ActionIcon
        className="order-end"
        size="sm"
        variant="default"
        aria-label={label}
        title={label}
        loading={order.isPending}
        onClick={() => order.mutate()}
      >
        <IconX size={14} aria-hidden />
      </ActionIcon>
      {order.error !== null && (
        <span role="alert" className="reason">
          {reasonOf(order.error)}
        </span>
      )}
    </>
  );
}
