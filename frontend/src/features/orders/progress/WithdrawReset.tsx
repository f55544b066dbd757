import "@/features/orders/orders.css";
import { useState } from "react";
import { withdrawReset } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Reset } from "@/api/types";
import { Dialog } from "@/components/dialog/Dialog";
import { sameWithdrawal } from "@/features/orders/commands";
import { ReasonField } from "@/features/orders/fields";
import { nameOf } from "@/features/orders/many/parts";
import { OrderPanel } from "@/features/orders/OrderPanel";

interface WithdrawResetProps {
  flow: FlowAddress;
  reset: Pick<Reset, "id" | "topic" | "partition">;
  onClose: () => void;
}

/** The form that withdraws a pending reset. */
export function WithdrawReset({ flow, reset, onClose }: WithdrawResetProps) {
  const [reason, setReason] = useState("");
  const name = nameOf(reset);
  const give = async () => {
    await withdrawReset(flow, reset.id, reason.trim());
    return { text: `The reset of ${name} is withdrawn`, actionId: null };
  };
  return (
    <Dialog label={`Withdraw the reset of ${name}`} onClose={onClose}>
      <div className="order-dialog">
        <OrderPanel
          flow={flow}
          title={`Withdraw the reset of ${name}`}
          effect="The flow continues at its present position. A reset that a driver has carried out meanwhile is not withdrawn."
          submit="Withdraw the reset"
          isReady={reason.trim() !== ""}
          give={give}
          same={sameWithdrawal(flow, reset.id, reason.trim())}
          onGiven={onClose}
          onClose={onClose}
        >
          <ReasonField value={reason} onChange={setReason} />
        </OrderPanel>
      </div>
    </Dialog>
  );
}
