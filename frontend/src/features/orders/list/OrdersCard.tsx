import { NativeSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconGavel } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { ordersQuery } from "@/api/orders";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { Action, OrderOutcome } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import type { Column } from "@/components/DataTable";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { OrderRow } from "@/features/orders/list/OrderRow";
import { placeOf } from "@/features/orders/list/order-words";
import "@/features/orders/orders.css";

const TYPING_MS = 250;
const OUTCOMES = [
  "waiting",
  "applied",
  "refused",
  "overtaken",
  "expired",
] as const satisfies readonly OrderOutcome[];

const COLUMNS: readonly Column<Action>[] = [
  { id: "ordered", label: "Ordered", value: (order) => order.ordered_ms, isNumber: true },
  { id: "by", label: "By", value: (order) => order.ordered_by },
  { id: "order", label: "Order", value: (order) => order.event },
  { id: "place", label: "For", value: placeOf },
  { id: "reason", label: "Reason", value: (order) => order.reason },
  { id: "until", label: "Until", value: (order) => order.until_ms, isNumber: true },
  { id: "revision", label: "Revision", value: (order) => order.revision, isNumber: true },
  { id: "outcome", label: "Outcome", value: (order) => order.outcome },
];

/** The orders of a flow within a month: who, why, and what the drivers made of them. */
export default function OrdersCard(flow: FlowAddress) {
  const me = useQuery(meQuery);
  if (me.data === undefined) return <Card title="Orders">{null}</Card>;
  if (me.data.permissions.includes("flows.act")) return <Orders flow={flow} />;
  return (
    <Card title="Orders">
      <p className="control-none">Orders are shown to operators.</p>
    </Card>
  );
}

function Orders({ flow }: { flow: FlowAddress }) {
  const [typed, setTyped] = useState("");
  const [outcome, setOutcome] = useState<OrderOutcome | undefined>(undefined);
  const [sort, setSort] = useState("-ordered");
  const [topic] = useDebouncedValue(typed.trim(), TYPING_MS);
  const answer = useInfiniteQuery(ordersQuery(flow, topic, outcome));
  const isFiltered = topic !== "" || outcome !== undefined;
  const clear = () => {
    setTyped("");
    setOutcome(undefined);
  };
  const tools = (
    <>
      <NativeSelect
        size="xs"
        aria-label="Outcome"
        data={[
          { value: "", label: "Every outcome" },
          ...OUTCOMES.map((word) => ({ value: word, label: word })),
        ]}
        value={outcome ?? ""}
        onChange={(event) => setOutcome((event.currentTarget.value || undefined) as OrderOutcome | undefined)}
      />
      <ListFilter label="Name of a topic" value={typed} onChange={(name) => setTyped(name ?? "")} />
      <ListCommands list="orders" flow={flow} filters={{ topic, outcome }} />
    </>
  );
  const empty = isFiltered ? (
    <NoMatch title="No order matches the filter" clear="Show all orders" onClear={clear} />
  ) : (
    <EmptyState icon={IconGavel} title="No order was given in the last month">
      Orders pause, stop, restart, throttle or reset a flow or a part of it.
    </EmptyState>
  );
  return (
    <Card title="Orders" note="kept for a month" tools={tools}>
      <PagedTable
        isStacked
        what="orders"
        answer={answer}
        empty={empty}
        columns={COLUMNS}
        rowId={(order) => String(order.id)}
        sort={sort}
        onSort={setSort}
      >
        {(order) => <OrderRow key={order.id} order={order} />}
      </PagedTable>
    </Card>
  );
}
