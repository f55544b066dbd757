import "@/features/orders/orders.css";
import { Button } from "@mantine/core";
import { useState } from "react";
import type { FlowAddress } from "@/api/queries";
import { Dialog } from "@/components/dialog/Dialog";
import { FlowName } from "@/components/FlowName";
import { KINDS } from "@/features/orders/kinds";
import OrderForm from "@/features/orders/OrderForm";
import type { GivenOrder, OrderKind, Scope } from "@/features/orders/order";
import type { Position } from "@/features/orders/PositionFields";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";

export interface WantedOrder {
  flow: FlowAddress;
  kind: OrderKind;
  /** absent: the whole flow */
  scope?: Scope | undefined;
  /** the position of a reset to begin with; absent: the start of the log */
  position?: Position | undefined;
}

/** The form of an order over the page, then how far the order has come. */
export default function OrderDialog(wanted: WantedOrder & { onClose: () => void }) {
  const { flow, kind, scope, position, onClose } = wanted;
  const [given, setGiven] = useState<GivenOrder | null>(null);
  return (
    <Dialog label={`${KINDS[kind].word}: ${flow.source} to ${flow.target}`} onClose={onClose}>
      <div className="order-dialog">
        <FlowName {...flow} />
        {given === null ? (
          <OrderForm
            kind={kind}
            flow={flow}
            {...(scope === undefined ? {} : { scope })}
            position={position}
            onClose={onClose}
            onGiven={setGiven}
          />
        ) : (
          <>
            <OrderProgress flow={flow} order={given} onGiven={setGiven} />
            <Button size="xs" variant="default" data-autofocus onClick={onClose}>
              Close
            </Button>
          </>
        )}
      </div>
    </Dialog>
  );
}
