import { useSessionState } from "@/components/form/useSessionState";
import type { OrderFormProps } from "@/features/orders/OrderPanel";
import { type OrderKind, type Scope, WHOLE_FLOW } from "@/features/orders/order";
import type { Position } from "@/features/orders/PositionFields";

interface TypedOrderProps extends OrderFormProps {
  scope?: Scope;
  /** a form that begins with another position is another form */
  position?: Position | undefined;
}

type Endings = Pick<OrderFormProps, "onClose" | "onGiven">;

/** What is typed into the form of an order. It outlives a new sign-in until the order is given or cancelled. */
export function useTypedOrder<Typed extends object>(
  kind: OrderKind,
  { flow, scope = WHOLE_FLOW, position, onClose, onGiven }: TypedOrderProps,
  initial: Typed,
): [Typed, (change: Partial<Typed>) => void, Endings] {
  const part = [scope.topic, scope.partition, scope.task, position?.typed].filter(
    (each) => each !== null && each !== undefined,
  );
  const key = `order ${kind} ${flow.source}->${flow.target} ${part.join(" ")}`.trim();
  const [typed, change, forget] = useSessionState(key, initial);
  const endings: Endings = {
    onClose: () => {
      forget();
      onClose();
    },
    onGiven: (order) => {
      forget();
      onGiven(order);
    },
  };
  return [typed, change, endings];
}

/** The fields of the part of a flow that an order is for. */
export function placeFields({ topic, partition }: Scope) {
  return { topic, partition: partition === null ? "" : String(partition) };
}
