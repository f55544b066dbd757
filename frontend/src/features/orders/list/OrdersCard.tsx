import { NativeSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { IconGavel } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { ordersQuery } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { OrderOutcome } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { PagedTable } from "@/components/PagedTable";
import { EmptyState } from "@/components/states";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { orderedIds, orderingOf } from "@/components/table/ordering";
import { useAddressState } from "@/components/table/useAddressState";
import { useTableView } from "@/components/table/useTableView";
import { ORDER_COLUMNS } from "@/features/orders/list/columns";
import { wordOf } from "@/lib/words";
import "@/features/orders/orders.css";

const TYPING_MS = 250;
const OUTCOMES = [
  "waiting",
  "applied",
  "refused",
  "overtaken",
  "expired",
] as const satisfies readonly OrderOutcome[];

const OUTCOME_MEANINGS: readonly (readonly [OrderOutcome, string])[] = [
  ["waiting", "Not every task has applied it yet"],
  ["applied", "Every task has applied it"],
  ["refused", "A driver has refused it, with a reason"],
  ["overtaken", "A later order replaced it before it was applied"],
  ["expired", "Its time ended before it was applied"],
];

const ORDERED = orderedIds(ORDER_COLUMNS);

/** The orders of a flow of 30 days: who, why, and what the drivers made of them. */
export default function OrdersCard(flow: FlowAddress) {
  const [typed, setTyped] = useAddressState("topic", "");
  const [held, setOutcome] = useAddressState("outcome", "");
  const outcome = OUTCOMES.find((word) => word === held);
  const view = useTableView("orders", ORDER_COLUMNS, "-ordered");
  const [topic] = useDebouncedValue(typed.trim(), TYPING_MS);
  const answer = useInfiniteQuery(ordersQuery(flow, topic, outcome, orderingOf(ORDER_COLUMNS, view.sort)));
  const isFiltered = topic !== "" || outcome !== undefined;
  const navigate = useNavigate();
  const clear = () => {
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, topic: undefined, outcome: undefined }),
      replace: true,
    });
  };
  const tools = (
    <>
      <NativeSelect
        size="xs"
        aria-label="Outcome"
        data={[
          { value: "", label: "Every outcome" },
          ...OUTCOMES.map((word) => ({ value: word, label: wordOf(word) })),
        ]}
        value={outcome ?? ""}
        onChange={(event) => setOutcome(event.currentTarget.value)}
      />
      <ListFilter label="Name of a topic" value={typed} onChange={(name) => setTyped(name ?? "")} />
      <ColumnTools view={view} words={OUTCOME_MEANINGS} />
      <ListCommands list="orders" flow={flow} filters={{ topic, outcome }} />
    </>
  );
  const empty = isFiltered ? (
    <NoMatch title="No order matches the filter" onClear={clear} />
  ) : (
    <EmptyState icon={IconGavel} title="No order was given in the last 30 days">
      Orders pause, stop, restart, throttle or reset a flow or a part of it.
    </EmptyState>
  );
  return (
    <Card title="Orders" note="kept for 30 days" tools={tools}>
      <PagedTable
        view={view}
        answer={answer}
        empty={empty}
        ordered={ORDERED}
        rowId={({ id }) => String(id)}
      />
    </Card>
  );
}
