import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { actionQuery } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { Action } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import type { GivenOrder } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";
import { plural } from "@/lib/format";
import type { Tone } from "@/lib/status";

export const STATES: Record<Action["state"], { tone: Tone; word: string }> = {
  ordered: { tone: "idle", word: "asked" },
  published: { tone: "warn", word: "at the drivers" },
  applied: { tone: "ok", word: "done" },
  refused: { tone: "bad", word: "refused by a driver" },
  overtaken: { tone: "idle", word: "overtaken by a later order" },
  expired: { tone: "idle", word: "expired before it was applied" },
};

interface OrderProgressProps {
  flow: FlowAddress;
  order: GivenOrder;
  onGiven: (order: GivenOrder) => void;
}

/** The order given last and how far it has come. */
export function OrderProgress({ flow, order, onGiven }: OrderProgressProps) {
  return (
    <p className="order-progress" role="status">
      {order.text}
      {order.actionId !== null && <Steps flow={flow} actionId={order.actionId} />}
      {order.undo !== undefined && <Undo flow={flow} undo={order.undo} onGiven={onGiven} />}
    </p>
  );
}

function Undo({
  flow,
  undo,
  onGiven,
}: Omit<OrderProgressProps, "order"> & { undo: () => Promise<GivenOrder> }) {
  const queries = useQueryClient();
  const back = useMutation({
    mutationFn: undo,
    onSuccess: onGiven,
    onSettled: () => refreshOrders(queries, flow),
  });
  return (
    <>
      <Button size="compact-xs" variant="default" loading={back.isPending} onClick={() => back.mutate()}>
        Undo
      </Button>
      {back.error !== null && (
        <span role="alert" className="reason">
          {reasonOf(back.error)}
        </span>
      )}
    </>
  );
}

function Steps({ flow, actionId }: { flow: FlowAddress; actionId: number }) {
  const { data, error } = useQuery(actionQuery(flow, actionId));
  if (data === undefined) return error === null ? null : <span className="muted">{reasonOf(error)}</span>;
  const behind = data.tasks.filter(
    ({ applied_revision }) =>
      data.revision === null || applied_revision === null || applied_revision < data.revision,
  );
  return (
    <>
      <StateBadge {...STATES[data.state]} />
      {data.state === "published" && behind.length > 0 && (
        <span className="muted">
          {behind.length} of {plural(data.tasks.length, "task")} left
        </span>
      )}
      {data.state === "published" && data.tasks.length === 0 && (
        <span className="muted">no task of the flow reports</span>
      )}
      {data.refusal !== "" && <span className="reason">{data.refusal}</span>}
      {data.applied_by.length > 0 && (
        <span className="muted">
          by {[...new Set(data.applied_by.map(({ driver }) => driver))].sort().join(", ")}
        </span>
      )}
    </>
  );
}
