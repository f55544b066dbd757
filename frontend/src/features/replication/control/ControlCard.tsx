import { useQuery } from "@tanstack/react-query";
import { Suspense, useState } from "react";
import { throttleQuery } from "@/api/control";
import { reasonOf } from "@/api/problem";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { Flow, FlowStatus, Limit } from "@/api/types";
import { useOutage } from "@/components/answer/outage";
import { Card } from "@/components/Card";
import { Figure, Unknown } from "@/components/Figure";
import { CONTROL } from "@/components/flow/OrdersHint";
import { LoadingRows } from "@/components/states";
import { OrderButtons } from "@/features/orders/OrderButtons";
import type { GivenOrder, OrderKind } from "@/features/orders/order";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";
import { Pauses, Stops, Throttles } from "@/features/replication/control/lists";
import { Resets } from "@/features/replication/control/Resets";
import { bytesPerSecond } from "@/lib/format";
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
  const me = useQuery(meQuery);
  const isOperator = me.data?.permissions.includes("flows.act") ?? false;
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
        <Throttle flow={flow} />
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

/** Why a value is not here; a reason that the page tells already is not told again. */
function whyUnread(error: unknown, isTold: boolean): string {
  if (error === null) return "not read yet";
  return isTold ? "could not be loaded" : reasonOf(error);
}

function Throttle({ flow }: { flow: FlowAddress }) {
  const { data, error } = useQuery(throttleQuery(flow));
  const isTold = useOutage()?.reason === reasonOf(error);
  return (
    <div className="fact">
      <dt>Throttle</dt>
      <dd>
        {data === undefined && <Unknown why={whyUnread(error, isTold)} />}
        {data === null && "No order"}
        {typeof data === "number" && <Figure value={data} as={bytesPerSecond} />}
      </dd>
      {data !== undefined && (
        <dd className="control-hint">
          {data === null ? (
            <>
              The configured rate applies: <code>srm.throttle.rate</code>, <code>srm.throttle.schedule</code>
            </>
          ) : (
            <>
              wins over <code>srm.throttle.rate</code>, but not over a window of{" "}
              <code>srm.throttle.schedule</code>
            </>
          )}
        </dd>
      )}
    </div>
  );
}
