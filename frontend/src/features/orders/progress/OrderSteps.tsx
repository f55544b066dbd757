import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { resetsQuery } from "@/api/control";
import { actionQuery } from "@/api/orders";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { rowsOf } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import {
  driversOf,
  ORDER_STATES,
  REJECTED,
  RESET_STATES,
  waitingText,
} from "@/features/orders/list/order-words";
import { plural } from "@/lib/format";

interface StepsProps {
  flow: FlowAddress;
  /** true: screen readers announce each change of the state */
  isAnnounced?: boolean;
}

/** How far an order has come. */
export function OrderSteps({ flow, actionId, isAnnounced }: StepsProps & { actionId: number }) {
  const { data: order, error } = useQuery(actionQuery(flow, actionId));
  if (order === undefined) return error === null ? null : <span className="muted">{reasonOf(error)}</span>;
  const waiting = waitingText(order);
  const drivers = driversOf(order);
  return (
    <>
      <StateBadge {...ORDER_STATES[order.state]} isAnnounced={isAnnounced} />
      {waiting !== "" && <span className="muted">{waiting}</span>}
      {order.refusal !== "" && <span className="reason">{order.refusal}</span>}
      {drivers.length > 0 && <span className="muted">by {drivers.join(", ")}</span>}
    </>
  );
}

/** How far resets have come; those that are not done, also why. */
export function ResetSteps({ flow, ids, isAnnounced }: StepsProps & { ids: readonly string[] }) {
  const answer = useInfiniteQuery(resetsQuery(flow));
  const wanted = new Set(ids);
  const resets = rowsOf(answer)?.filter(({ id }) => wanted.has(id)) ?? [];
  if (resets.length === 0) return null;
  const done = resets.filter(({ state }) => state === "done").length;
  const rejected = resets.find((reset) => reset.rejected !== null);
  const first = resets.find(({ state }) => state !== "done") ?? resets[0];
  const state = rejected === undefined ? first && RESET_STATES[first.state] : REJECTED;
  return (
    <>
      {state !== undefined && <StateBadge {...state} isAnnounced={isAnnounced} />}
      {ids.length > 1 && (
        <span className="muted">
          {done} of {plural(ids.length, "partition")} done
        </span>
      )}
      {rejected?.rejected && <span className="reason">{rejected.rejected}</span>}
    </>
  );
}
