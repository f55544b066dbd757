import { Menu } from "@mantine/core";
import { IconExternalLink, IconPencil } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "@/api/personal";
import { type FlowAddress, flowQuery } from "@/api/queries";
import { pageAt, useServiceOf } from "@/components/flow/service";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { OrderItems } from "@/features/orders/OrderItems";
import { offeredOf, refusal } from "@/features/orders/order";
import { useFlow } from "@/live/context";
import { flowKey } from "@/live/flow-row";

/** The orders for a flow as items of a menu; none for those who may not give any. Another service takes those for its flows. */
export function FlowOrderItems({ source, target, onOrder }: FlowAddress & { onOrder: OpenOrder }) {
  const mayAct = useMay("flows.act");
  const service = useServiceOf({ source, target });
  const { data: flow } = useQuery({
    ...flowQuery({ source, target }),
    enabled: mayAct && service === null,
  });
  const live = useFlow(flowKey(source, target));
  const status = flow?.status ?? live?.status;
  if (!mayAct) return null;
  if (service !== null) {
    return (
      <Menu.Item
        component="a"
        href={pageAt(service, { source, target })}
        rel="noreferrer noopener"
        target="_blank"
        leftSection={<IconExternalLink size={16} aria-hidden />}
      >
        Actions at its service
        <span className="order-why">Reported by {service}</span>
      </Menu.Item>
    );
  }
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
