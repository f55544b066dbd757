import "@/features/orders/orders.css";
import { Button } from "@mantine/core";
import { useState } from "react";
import { withdrawReset } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Reset } from "@/api/types";
import { Dialog } from "@/components/dialog/Dialog";
import { useSessionState } from "@/components/form/useSessionState";
import { sameWithdrawal } from "@/features/orders/commands";
import { ReasonField } from "@/features/orders/fields";
import { nameOf } from "@/features/orders/many/parts";
import { OrderPanel } from "@/features/orders/OrderPanel";
import type { GivenOrder } from "@/features/orders/order";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";

interface WithdrawResetProps {
  flow: FlowAddress;
  reset: Pick<Reset, "id" | "topic" | "partition">;
  onClose: () => void;
}

/** The form that withdraws a pending reset, then the result. */
export function WithdrawReset({ flow, reset, onClose }: WithdrawResetProps) {
  const [given, setGiven] = useState<GivenOrder | null>(null);
  const [{ reason }, change, forget] = useSessionState(`withdraw ${reset.id}`, { reason: "" });
  const name = nameOf(reset);
  const give = async () => {
    await withdrawReset(flow, reset.id, reason.trim());
    return { text: `The reset of ${name} is withdrawn`, actionId: null };
  };
  return (
    <Dialog label={`Withdraw the reset of ${name}`} onClose={onClose}>
      <div className="order-dialog">
        {given !== null ? (
          <>
            <OrderProgress flow={flow} order={given} onGiven={setGiven} />
            <Button size="xs" variant="default" data-autofocus onClick={onClose}>
              Close
            </Button>
          </>
        ) : (
          <OrderPanel
            flow={flow}
            title={`Withdraw the reset of ${name}`}
            effect="The flow continues at its present position. A reset that a driver has carried out meanwhile is not withdrawn."
            submit="Withdraw the reset"
            isReady={reason.trim() !== ""}
            give={give}
            same={sameWithdrawal(flow, reset.id, reason.trim())}
            onGiven={(order) => {
              forget();
              setGiven(order);
            }}
            onClose={() => {
              forget();
              onClose();
            }}
          >
            <ReasonField value={reason} onChange={(reason) => change({ reason })} />
          </OrderPanel>
        )}
      </div>
    </Dialog>
  );
}
