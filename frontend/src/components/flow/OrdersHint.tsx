import { Link } from "@tanstack/react-router";
import type { FlowRow } from "@/live/flow-row";

/** The id of the card that lists the orders in force of a flow and ends them. */
export const CONTROL = "control";

/** Orders that slow or stop the copying of a flow, which its status does not tell; leads to the card that ends them. */
export function OrdersHint({ flow }: { flow: FlowRow }) {
  const { source, target, orders_in_force: orders } = flow;
  if (orders == null) return null;
  return (
    <Link
      className="orders-hint"
      title="Show the orders in force"
      to="/replications/$source/$target"
      params={{ source, target }}
      search={(search) => ({ from: search.from, to: search.to })}
      hash={CONTROL}
    >
      {orders.text}
    </Link>
  );
}
