import { useMutation } from "@tanstack/react-query";
import { type ManyOrder, type OneResult, type TypedMany, wantedOf } from "@/features/orders/many/many-order";

interface ManyCalls<Action extends string> {
  names: readonly string[];
  typed: TypedMany<Action>;
  act: (
    order: ManyOrder<Action>,
    isDryRun: boolean,
    names: ReadonlySet<string>,
  ) => Promise<readonly OneResult[]>;
  refresh: () => Promise<unknown>;
  /** forgets what is typed */
  onDone: () => void;
}

/** The order to all chosen things, its dry run, and the order that takes it back. */
export function useManyOrder<Action extends string>(calls: ManyCalls<Action>) {
  const { names, typed, act, refresh, onDone } = calls;
  const all = new Set(names);
  const order = useMutation({
    mutationFn: () => act(wantedOf(typed), false, all),
    onSuccess: onDone,
    onSettled: refresh,
  });
  const rehearsal = useMutation({ mutationFn: () => act(wantedOf(typed), true, all) });
  const changed = new Set(order.data?.filter(({ result }) => result === "done").map(({ name }) => name));
  const undo = useMutation({
    mutationFn: (action: Action) => act({ action, reason: `undone: ${typed.reason.trim()}` }, false, changed),
    onSettled: refresh,
  });
  return {
    order,
    rehearsal,
    undo,
    /** the names of what the order has changed and can be taken back */
    undoable: undo.data === undefined ? [...changed] : [],
    results: undo.data ?? order.data ?? rehearsal.data,
    error: order.error ?? rehearsal.error ?? undo.error,
    forget: (): void => {
      order.reset();
      rehearsal.reset();
      undo.reset();
    },
  };
}
