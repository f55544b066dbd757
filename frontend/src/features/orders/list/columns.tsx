/** The columns of the table of orders. */
import type { Action, ActionOrdering } from "@/api/types";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { Timestamp } from "@/components/Timestamp";
import type { OrderedColumn } from "@/components/table/ordering";
import { driversOf, ORDER_STATES, placeOf, wordsOf } from "@/features/orders/list/order-words";

export const ORDER_COLUMNS: readonly OrderedColumn<Action, ActionOrdering>[] = [
  {
    id: "ordered",
    label: "Ordered",
    value: ({ ordered_ms }) => ordered_ms,
    isNumber: true,
    cell: ({ ordered_ms }) => <Timestamp time_ms={ordered_ms} />,
    cellClass: "nowrap",
    ordering: "ordered_ms",
  },
  {
    id: "by",
    label: "By",
    value: ({ ordered_by }) => ordered_by,
    cell: ({ ordered_by }) => ordered_by,
    ordering: "ordered_by",
  },
  {
    id: "order",
    label: "Order",
    value: ({ event }) => event,
    cell: wordsOf,
    cellClass: "nowrap",
    ordering: "event",
  },
  {
    id: "place",
    label: "For",
    hint: "The whole flow, a topic, a partition or a task",
    value: ({ topic }) => topic,
    cell: (order) => <NameText name={placeOf(order)} />,
    cellClass: "topic-cell",
    isName: true,
    ordering: "topic",
  },
  {
    id: "reason",
    label: "Reason",
    value: ({ reason }) => reason,
    cell: ({ reason }) => reason || "None given",
    cellClass: "muted",
    ordering: "reason",
  },
  {
    id: "until",
    label: "Until",
    hint: "When the order ends by itself",
    value: ({ until_ms }) => until_ms,
    isNumber: true,
    cell: ({ until_ms }) => (until_ms === null ? "–" : <Timestamp time_ms={until_ms} />),
    cellClass: "nowrap",
    ordering: "until_ms",
  },
  {
    id: "revision",
    label: "Revision",
    hint: "The version of the control state that carries it",
    value: ({ revision }) => revision,
    isNumber: true,
    cell: ({ revision }) => revision ?? "–",
    ordering: "revision",
  },
  {
    id: "outcome",
    label: "Outcome",
    hint: "The outcome at the drivers",
    value: ({ outcome }) => outcome,
    cell: (order) => <Outcome order={order} />,
    ordering: "outcome",
  },
];

/** How far an order has come, at which drivers, and why not further. */
function Outcome({ order }: { order: Action }) {
  const drivers = driversOf(order);
  return (
    <>
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
    </>
  );
}
