import "@/features/orders/orders.css";
import { Button } from "@mantine/core";
import type { FlowAddress } from "@/api/queries";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";
import { flowKey } from "@/live/flow-row";

/** How far the drivers are with the flow that was deleted last on its page, until it is closed. */
export default function DeletedFlow({ flow, onClose }: { flow: FlowAddress; onClose: () => void }) {
  const text = `${flowKey(flow.source, flow.target)} is deleted`;
  return (
    <section className="card deleted-flow" aria-label="Deleted flow">
      <OrderProgress
        flow={flow}
        order={{ text, actionId: null, isDeletion: true }}
        onGiven={() => undefined}
      />
      <Button size="compact-xs" variant="default" onClick={onClose}>
        Close
      </Button>
    </section>
  );
}
