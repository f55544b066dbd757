import { useQuery } from "@tanstack/react-query";
import { actionQuery } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { Action } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import type { GivenOrder } from "@/features/orders/order";
import { plural } from "@/lib/format";
import type { Tone } from "@/lib/status";

const STATES: Record<Action["state"], { tone: Tone; word: string }> = {
  ordered: { tone: "idle", word: "asked" },
  published: { tone: "warn", word: "at the drivers" },
  applied: { tone: "ok", word: "done" },
  overtaken: { tone: "idle", word: "overtaken by a later order" },
  expired: { tone: "idle", word: "expired before it was applied" },
};

/** The order given last and how far it has come. */
export function OrderProgress({ flow, order }: { flow: FlowAddress; order: GivenOrder }) {
  return (
    <p className="order-progress" role="status">
      {order.text}
      {order.actionId !== null && <Steps flow={flow} actionId={order.actionId} />}
    </p>
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
    </>
  );
}
