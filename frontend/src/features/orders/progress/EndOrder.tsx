import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { refreshOrders } from "@/features/orders/refresh";
import type { ByHand } from "@/lib/by-hand";

interface EndOrderProps {
  flow: FlowAddress;
  /** names the button by a verb and its object */
  label: string;
  end: () => Promise<unknown>;
  /** the same by hand, to copy */
  same: ByHand;
}

/** The button of a row that ends its order; a refusal is shown below it. */
export function EndOrder({ flow, label, end, same }: EndOrderProps) {
  const queries = useQueryClient();
  const order = useMutation({ mutationFn: end, onSettled: () => refreshOrders(queries, flow) });
  return (
    <>
      <span className="order-ends">
        <ActionIcon
          size={22}
          variant="default"
          aria-label={label}
          title={label}
          loading={order.isPending}
          onClick={() => order.mutate()}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
        <CommandsButton label={label.replace(" ", " by hand: ")} size={22}>
          <CallsToCopy same={same} />
        </CommandsButton>
      </span>
      {order.error !== null && (
        <span role="alert" className="reason">
          {reasonOf(order.error)}
        </span>
      )}
    </>
  );
}
