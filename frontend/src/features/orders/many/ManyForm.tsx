import "@/features/orders/many/many.css";
import { Button } from "@mantine/core";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import { ManyFields } from "@/features/orders/many/ManyFields";
import { ManyOutcome } from "@/features/orders/many/ManyOutcome";
import {
  isComplete,
  type ManyAction,
  type ManyOrder,
  type OneResult,
  type TypedMany,
  UNTYPED,
  wantedOf,
} from "@/features/orders/many/many-order";
import { NamesOf } from "@/features/orders/many/NamesOf";
import { UndoMany } from "@/features/orders/many/UndoMany";
import { useConfirmation } from "@/features/orders/many/useConfirmation";
import { useManyOrder } from "@/features/orders/many/useManyOrder";
import { useShownInPlace } from "@/features/orders/many/useShownInPlace";
import type { ByHand } from "@/lib/by-hand";
import { plural } from "@/lib/format";

interface ManyFormProps<Action extends string> {
  /** what is chosen: "flow" */
  one: string;
  /** of the chosen things */
  names: readonly string[];
  /** how many of them the filter of the list hides */
  hidden?: number;
  actions: Readonly<Record<Action, ManyAction<Action>>>;
  first: Action;
  /** actions that the name of a chosen thing confirms, and the number of several */
  confirmed: readonly Action[];
  /** acts on the things with these names; one that is refused stops no other; a dry run changes nothing */
  act: (
    order: ManyOrder<Action>,
    isDryRun: boolean,
    names: ReadonlySet<string>,
  ) => Promise<readonly OneResult[]>;
  /** reads again what the action has changed */
  refresh: () => Promise<unknown>;
  /** why no chosen thing can get an action now; null: one of them can */
  refusalOf: (action: Action) => string | null;
  /** the same by hand, to copy */
  sameOf: (order: ManyOrder<Action>) => ByHand;
  onClear: () => void;
}

/** One action on everything that is chosen, with a result for each. It stays in view below the bar of the page. */
export function ManyForm<Action extends string>(props: ManyFormProps<Action>) {
  const { one, names, actions, confirmed, act, refresh } = props;
  const [typed, change, forgetTyped] = useSessionState<TypedMany<Action>>(`order to many ${one}s`, {
    action: props.first,
    ...UNTYPED,
  });
  const many = useManyOrder({ names, typed, act, refresh, onDone: forgetTyped });
  const panel = useShownInPlace();
  const { undo: back } = actions[typed.action];
  return (
    <div className="many-panel" ref={panel}>
      <OrderForm {...props} typed={typed} change={change} forgetTyped={forgetTyped} many={many} />
      {back !== undefined && many.undoable.length > 0 && (
        <UndoMany
          one={one}
          names={many.undoable}
          needsName={confirmed.includes(back)}
          isPending={many.undo.isPending}
          onUndo={() => many.undo.mutate(back)}
        />
      )}
    </div>
  );
}

interface OrderFormProps<Action extends string> extends ManyFormProps<Action> {
  typed: TypedMany<Action>;
  change: (part: Partial<TypedMany<Action>>) => void;
  forgetTyped: () => void;
  many: ReturnType<typeof useManyOrder<Action>>;
}

function OrderForm<Action extends string>(props: OrderFormProps<Action>) {
  const { one, names, actions, confirmed, refusalOf, sameOf, typed, change, many } = props;
  const { order, undo } = many;
  const confirmation = useConfirmation(one, names);
  const needsName = confirmed.includes(typed.action);
  const mayRehearse = isComplete(typed) && refusalOf(typed.action) === null;
  const isReady = mayRehearse && (!needsName || confirmation.isTyped);
  return (
    <form
      className="many"
      aria-label={`Action on the chosen ${one}s`}
      onChange={many.forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isReady || order.isPending) return;
        undo.reset();
        order.mutate();
      }}
    >
      <Chosen {...props} effect={actions[typed.action].effect} />
      <ManyFields actions={actions} typed={typed} change={change} refusalOf={refusalOf}>
        {needsName && confirmation.fields}
      </ManyFields>
      {isReady && <ByHandNote same={sameOf(wantedOf(typed))} />}
      <Buttons {...props} isReady={isReady} mayRehearse={mayRehearse} />
      <FormProblem error={many.error} />
      {many.results !== undefined && (
        <ManyOutcome one={one} results={many.results} isDryRun={order.data === undefined} />
      )}
    </form>
  );
}

interface ChosenProps {
  one: string;
  names: readonly string[];
  hidden?: number;
  effect: string;
}

/** What is chosen, also where the filter hides it, and what the action does. */
function Chosen({ one, names, hidden = 0, effect }: ChosenProps) {
  return (
    <>
      <p className="many-count" role="status">
        {plural(names.length, one)} chosen
        {hidden > 0 && `, ${hidden} ${hidden === 1 ? "is" : "are"} hidden by the filter`}.{" "}
        <span className="muted">{effect}</span>
      </p>
      <NamesOf label={`The chosen ${one}s`} names={names} />
    </>
  );
}

interface ButtonsProps<Action extends string> extends OrderFormProps<Action> {
  isReady: boolean;
  mayRehearse: boolean;
}

function Buttons<Action extends string>(props: ButtonsProps<Action>) {
  const { one, names, actions, typed, isReady, mayRehearse, many, forgetTyped, onClear } = props;
  const { label, submit = label } = actions[typed.action];
  const clear = () => {
    forgetTyped();
    onClear();
  };
  return (
    <div className="many-buttons">
      <Button size="xs" type="submit" disabled={!isReady} loading={many.order.isPending}>
        {submit} {plural(names.length, one)}
      </Button>
      <Button
        size="xs"
        variant="default"
        disabled={!mayRehearse}
        loading={many.rehearsal.isPending}
        onClick={() => many.rehearsal.mutate()}
      >
        Dry run
      </Button>
      <Button size="xs" variant="default" onClick={clear}>
        Clear the selection
      </Button>
    </div>
  );
}
