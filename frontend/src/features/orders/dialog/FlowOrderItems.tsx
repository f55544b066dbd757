import { Menu } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { OrderItems } from "@/features/orders/OrderItems";
import { offeredOf, refusal } from "@/features/orders/order";
import { useFlow } from "@/live/context";
import { flowKey } from "@/live/flow-row";

/** The orders for a flow as items of a menu; none for those who may not give any. */
export function FlowOrderItems({ source, target, onOrder }: FlowAddress & { onOrder: OpenOrder }) {
  const mayAct = useMay("flows.act");
  const { data: flow } = useQuery({ ...flowQuery({ source, target }), enabled: mayAct });
  const live = useFlow(flowKey(source, target));
  const status = flow?.status ?? live?.status;
  if (!mayAct) return null;
  return (
    <>
      <OrderItems
        kinds={offeredOf(status, flow?.ordered_state)}
        refusalOf={(kind) => refusal(kind, status, flow?.ordered_state)}
        onPick={(kind) => onOrder({ flow: { source, target }, kind })}
      />
      <Menu.Item
        leftSection={<IconPencil size={16} aria-hidden />}
        renderRoot={(props) => (
          <Link {...props} to="/configuration" search={{ at: `flow:${flowKey(source, target)}` }} />
        )}
      >
        Edit patterns and settings
      </Menu.Item>
    </>
  );
}
