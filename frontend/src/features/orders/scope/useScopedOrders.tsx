import { useQuery } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense, useState } from "react";
import { type FlowAddress, meQuery } from "@/api/queries";
import { LoadingRows } from "@/components/states";
import { OrderProgress } from "@/features/orders/OrderProgress";
import type { GivenOrder, OrderKind, Scope } from "@/features/orders/order";
import { ScopeMenuButton } from "@/features/orders/scope/ScopeMenuButton";

const OrderForm = lazy(() => import("@/features/orders/OrderForm"));

interface ScopedOrders {
  /** the button of a row that opens its orders; null: the person may not give any */
  menu: (scope: Scope) => ReactNode;
  /** the form that is open, and the order given last */
  panel: ReactNode;
}

/** Orders for the topics and partitions of a table. */
export function useScopedOrders(flow: FlowAddress): ScopedOrders {
  const me = useQuery(meQuery);
  const [open, setOpen] = useState<{ kind: OrderKind; scope: Scope } | null>(null);
  const [given, setGiven] = useState<GivenOrder | null>(null);
  if (!(me.data?.permissions.includes("flows.act") ?? false)) return { menu: () => null, panel: null };
  const onGiven = (order: GivenOrder) => {
    setGiven(order);
    setOpen(null);
  };
  return {
    menu: (scope) => <ScopeMenuButton scope={scope} onPick={(kind, of) => setOpen({ kind, scope: of })} />,
    panel: (
      <>
        {given !== null && <OrderProgress flow={flow} order={given} onGiven={onGiven} />}
        {open !== null && (
          <Suspense fallback={<LoadingRows rows={1} label="Loading the form" />}>
            <OrderForm
              key={`${open.kind} ${open.scope.topic} ${open.scope.partition}`}
              {...open}
              flow={flow}
              onClose={() => setOpen(null)}
              onGiven={onGiven}
            />
          </Suspense>
        )}
      </>
    ),
  };
}
