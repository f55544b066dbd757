import { Suspense, useState } from "react";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { Flow, FlowStatus, Limit } from "@/api/types";
import { Card } from "@/components/Card";
import { CONTROL } from "@/components/flow/OrdersHint";
import { LoadingRows } from "@/components/states";
import { ThrottleInForce } from "@/features/orders/forms/ThrottleInForce";
import { OrderButtons } from "@/features/orders/OrderButtons";
import type { GivenOrder, OrderKind } from "@/features/orders/order";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";
import { Pauses, Stops, Throttles } from "@/features/replication/control/lists";
import { Resets } from "@/features/replication/control/Resets";
import { copiesNothing } from "@/lib/status";
import { lazyPart } from "@/lib/view/lazy-part";

const OrderForm = lazyPart(() => import("@/features/orders/OrderForm"));

interface ControlCardProps extends FlowAddress {
  /** undefined: not known yet */
  status?: FlowStatus | undefined;
  /** what is ordered of the flow; undefined: not known yet */
  ordered?: Flow["ordered_state"] | undefined;
  /** undefined: not known yet; null: no task reports one */
  limit: Limit | null | undefined;
}

/** The throttles, pauses, stops and resets of a flow and the limit of its throughput, with the orders of operators. */
export function ControlCard({ source, target, status, ordered, limit }: ControlCardProps) {
  const isOperator = useMay("flows.act");
  const [open, setOpen] = useState<OrderKind | null>(null);
  const [given, setGiven] = useState<GivenOrder | null>(null);
  const flow = { source, target };
  const tools = <OrderButtons status={status} ordered={ordered} open={open} onOpen={setOpen} />;
  const onGiven = (order: GivenOrder) => {
    setGiven(order);
    // Another form may have been opened since.
    setOpen((current) => (current === open ? null : current));
  };
  return (
    <Card title="Control" id={CONTROL} tools={isOperator ? tools : undefined}>
      {given !== null && <OrderProgress flow={flow} order={given} onGiven={setGiven} />}
      {isOperator && open !== null && (
        <Suspense fallback={<LoadingRows rows={1} label="Loading the form" />}>
          <OrderForm kind={open} flow={flow} onClose={() => setOpen(null)} onGiven={onGiven} />
        </Suspense>
      )}
      <dl className="control-facts">
        <LimitedBy status={status} limit={limit} />
        <div className="fact">
          <dt>Throttle</dt>
          <dd>
            <ThrottleInForce flow={flow} />
          </dd>
        </div>
      </dl>
      <Pauses flow={flow} mayAct={isOperator} />
      <Stops flow={flow} mayAct={isOperator} />
      <Throttles flow={flow} mayAct={isOperator} />
      <Resets flow={flow} mayAct={isOperator} />
    </Card>
  );
}

/** What limits the throughput, if a task reports it; a flow that copies nothing is limited by nothing. */
function LimitedBy({ status, limit }: Pick<ControlCardProps, "status" | "limit">) {
  if (!limit || (status !== undefined && copiesNothing(status))) return null;
  return (
    <div className="fact">
      <dt>Limited by</dt>
      <dd>{limit.text}</dd>
    </div>
  );
}
