import type { Action } from "@/api/types";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import { driversOf, ORDER_STATES, placeOf, wordsOf } from "@/features/orders/list/order-words";

/** An order, and how far it has come. */
export function OrderRow({ order }: { order: Action }) {
  const drivers = driversOf(order);
  return (
    <tr>
      <td className="numeric nowrap">
        <Timestamp time_ms={order.ordered_ms} />
      </td>
      <td>{order.ordered_by}</td>
      <td className="nowrap">{wordsOf(order)}</td>
      <th scope="row" className="topic-cell">
        <NameText name={placeOf(order)} />
      </th>
      <td className="muted">{order.reason || "none given"}</td>
      <td className="numeric nowrap">
        {order.until_ms === null ? "–" : <Timestamp time_ms={order.until_ms} />}
      </td>
      <td className="numeric">{order.revision ?? "–"}</td>
      <td>
        <StateBadge {...ORDER_STATES[order.state]} />
        <span className="reason">
          {order.ended_ms !== null && <Timestamp time_ms={order.ended_ms} />}
          {drivers.length > 0 && " by "}
          {drivers.map((driver, place) => (
            <span key={driver}>
              {place > 0 && ", "}
              <span className="nowrap">{driver}</span>
            </span>
          ))}
          {order.refusal !== "" && ` ${order.refusal}`}
        </span>
      </td>
    </tr>
  );
}
