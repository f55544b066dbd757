import { type ReactNode, Suspense, useState } from "react";
import type { FlowAddress } from "@/api/queries";
import { useMayFlow } from "@/components/flow/service";
import { LoadingRows } from "@/components/states";
import { ChoosePart, ChooseTopics } from "@/features/orders/many/ChoosePart";
import { useChoice } from "@/features/orders/many/choice";
import { partOf } from "@/features/orders/many/parts";
import type { GivenOrder, OrderKind, Scope } from "@/features/orders/order";
import { OrderProgress } from "@/features/orders/progress/OrderProgress";
import { ScopeMenuButton } from "@/features/orders/scope/ScopeMenuButton";
import { lazyPart } from "@/lib/view/lazy-part";

const ManyParts = lazyPart(() => import("@/features/orders/many/ManyParts"));
const OrderForm = lazyPart(() => import("@/features/orders/OrderForm"));

export interface ScopedOrders {
  /** the button of a row that opens its orders; null: the person may not give any */
  menu: (scope: Scope) => ReactNode;
  /** the box of a row that chooses it for one order to several rows */
  choose: (scope: Scope) => ReactNode;
  /** the box that chooses all of these topics */
  chooseTopics: (topics: readonly string[]) => ReactNode;
  /** the forms that are open, and the order given last */
  panel: ReactNode;
}

const NO_ORDERS: ScopedOrders = {
  menu: () => null,
  choose: () => null,
  chooseTopics: () => null,
  panel: null,
};

/** Orders for the topics and partitions of a table, whose filter may hide some that are chosen. */
export function useScopedOrders(flow: FlowAddress, filter = ""): ScopedOrders {
  const mayAct = useMayFlow(flow, "flows.act");
  const [open, setOpen] = useState<{ kind: OrderKind; scope: Scope } | null>(null);
  const [given, setGiven] = useState<GivenOrder | null>(null);
  const choice = useChoice();
  if (!mayAct) return NO_ORDERS;
  const onGiven = (order: GivenOrder) => {
    setGiven(order);
    // Another form may have been opened since.
    setOpen((current) => (current === open ? null : current));
  };
  const parts = [...choice.chosen].map(partOf);
  return {
    menu: (scope) => (
      <ScopeMenuButton flow={flow} scope={scope} onPick={(kind, of) => setOpen({ kind, scope: of })} />
    ),
    choose: (scope) => <ChoosePart scope={scope} choice={choice} />,
    chooseTopics: (topics) => topics.length > 1 && <ChooseTopics topics={topics} choice={choice} />,
    panel: (
      <>
        {choice.chosen.size > 0 && (
          <Suspense fallback={<LoadingRows rows={1} label="Loading the form" />}>
            <ManyParts
              flow={flow}
              parts={parts}
              hidden={parts.filter(({ topic }) => !isMatched(topic, filter)).length}
              onClear={choice.clear}
            />
          </Suspense>
        )}
        {given !== null && <OrderProgress flow={flow} order={given} onGiven={setGiven} />}
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

const isMatched = (topic: string, filter: string): boolean =>
  topic.toLowerCase().includes(filter.trim().toLowerCase());
