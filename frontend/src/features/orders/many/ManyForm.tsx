import "@/features/orders/many/many.css";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FlowAddress } from "@/api/queries";
import type { ResetOrder } from "@/api/types";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import { StateBadge } from "@/components/StateBadge";
import { RateField } from "@/features/orders/fields";
import { UndoMany } from "@/features/orders/many/UndoMany";
import { useConfirmation } from "@/features/orders/many/useConfirmation";
import { ENDS, endOf, rateOf } from "@/features/orders/order";
import { type Position, PositionFields } from "@/features/orders/PositionFields";
import { placeOf } from "@/features/orders/place";
import { OrderSteps, ResetSteps } from "@/features/orders/progress/OrderSteps";
import type { ByHand } from "@/lib/by-hand";
import { plural } from "@/lib/format";

/** An action on every chosen thing, as it is sent for each of them. */
export interface ManyOrder<Action extends string> {
  action: Action;
  reason: string;
  until_ms?: number | null;
  /** of a throttle */
  bytes_per_second?: number | null;
  /** of a reset */
  to?: ResetOrder["to"];
}

/** How an action is offered. */
export interface ManyAction<Action extends string = never> {
  label: string;
  effect: string;
  /** the word on the button, before the number of chosen things; absent: the label */
  submit?: string;
  /** the action that takes it back; absent: there is none */
  undo?: Action | undefined;
}

/** The outcome of one chosen thing. */
export interface OneResult {
  name: string;
  result: keyof typeof RESULTS;
  text: string;
  /** the order that was given, whose progress is shown */
  order?: { flow: FlowAddress; actionId: number };
  /** the resets that were requested, whose progress is shown */
  resets?: { flow: FlowAddress; ids: readonly string[] };
}

interface ManyFormProps<Action extends string> {
  /** what is chosen: "flow" */
  one: string;
  /** of the chosen things */
  names: readonly string[];
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

/** One action on everything that is chosen, with a result for each. */
export function ManyForm<Action extends string>(props: ManyFormProps<Action>) {
  const { one, names, actions, confirmed, act, refusalOf, sameOf, onClear } = props;
  const [form, change, forgetTyped] = useSessionState(`order to many ${one}s`, {
    action: props.first,
    reason: "",
    end: "",
    rate: "",
    position: { kind: "earliest", typed: "" } as Position,
  });
  const { action, reason, end, rate, position } = form;
  const isThrottle = action === "throttle";
  const isReset = action === "reset";
  const to = isReset ? placeOf(position.kind, position.typed) : null;
  const canEnd = action === "pause" || action === "stop" || isThrottle;
  const wanted = (): ManyOrder<Action> => ({
    action,
    reason: reason.trim(),
    ...(canEnd ? { until_ms: endOf(end, Date.now()) } : {}),
    ...(isThrottle ? { bytes_per_second: rateOf(rate) } : {}),
    ...(to === null ? {} : { to }),
  });
  const all = new Set(names);
  const order = useMutation({
    mutationFn: () => act(wanted(), false, all),
    onSuccess: forgetTyped,
    onSettled: props.refresh,
  });
  const rehearsal = useMutation({ mutationFn: () => act(wanted(), true, all) });
  const undo = useMutation({
    mutationFn: ({ action: back, changed }: { action: Action; changed: ReadonlySet<string> }) =>
      act({ action: back, reason: `undone: ${reason.trim()}` }, false, changed),
    onSettled: props.refresh,
  });
  const forget = (): void => {
    order.reset();
    rehearsal.reset();
    undo.reset();
  };
  const { label, effect, submit = label } = actions[action];
  const needsName = confirmed.includes(action);
  const phrase = plural(names.length, one);
  const confirmation = useConfirmation(one, names);
  const isComplete =
    reason.trim() !== "" && (!isThrottle || rateOf(rate) !== null) && (!isReset || to !== null);
  const refusal = refusalOf(action);
  const isReady = isComplete && refusal === null && (!needsName || confirmation.isTyped);
  const results = undo.data ?? order.data ?? rehearsal.data;
  const changed = new Set(order.data?.filter(({ result }) => result === "done").map(({ name }) => name));
  const { undo: back } = actions[action];
  const canUndo = changed.size > 0 && undo.data === undefined;
  return (
    <>
      <form
        className="many"
        aria-label={`Action on the chosen ${one}s`}
        onChange={forget}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady || order.isPending) return;
          undo.reset();
          order.mutate();
        }}
      >
        <p className="many-count" role="status">
          {phrase} chosen. <span className="muted">{effect}</span>
        </p>
        {needsName && confirmation.list}
        <div className="many-fields">
          <NativeSelect
            size="xs"
            label="Action"
            data={Object.entries<ManyAction<Action>>(actions).map(([value, { label }]) => {
              const why = refusalOf(value as Action);
              return { value, label: why === null ? label : `${label}: ${why}`, disabled: why !== null };
            })}
            value={action}
            error={refusal}
            onChange={(event) => change({ action: event.currentTarget.value as Action })}
          />
          <TextInput
            size="xs"
            label="Reason"
            maxLength={500}
            required
            value={reason}
            onChange={(event) => change({ reason: event.currentTarget.value })}
          />
          {isReset && <PositionFields value={position} onChange={(position) => change({ position })} />}
          {isThrottle && <RateField value={rate} onChange={(rate) => change({ rate })} />}
          {canEnd && (
            <NativeSelect
              size="xs"
              label="Ends"
              data={ENDS.map(({ value, label }) => ({ value, label }))}
              value={end}
              onChange={(event) => change({ end: event.currentTarget.value })}
            />
          )}
          {needsName && confirmation.fields}
        </div>
        {isReady && <ByHandNote same={sameOf(wanted())} />}
        <div className="many-buttons">
          <Button size="xs" type="submit" disabled={!isReady} loading={order.isPending}>
            {submit} {phrase}
          </Button>
          <Button
            size="xs"
            variant="default"
            disabled={!isComplete || refusal !== null}
            loading={rehearsal.isPending}
            onClick={() => rehearsal.mutate()}
          >
            Dry run
          </Button>
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              forgetTyped();
              onClear();
            }}
          >
            Clear the selection
          </Button>
        </div>
        <FormProblem error={order.error ?? rehearsal.error ?? undo.error} />
        {results !== undefined && <Outcome one={one} results={results} isDryRun={order.data === undefined} />}
      </form>
      {back !== undefined && canUndo && (
        <UndoMany
          one={one}
          names={[...changed]}
          needsName={confirmed.includes(back)}
          isPending={undo.isPending}
          onUndo={() => undo.mutate({ action: back, changed })}
        />
      )}
    </>
  );
}

const RESULTS = {
  done: { tone: "ok", word: "done" },
  unchanged: { tone: "idle", word: "unchanged" },
  refused: { tone: "bad", word: "refused" },
} as const;

/** Each order is read every second: the progress of later ones is in the lists of orders. */
const MOST_FOLLOWED = 20;

const WOULD = { tone: "ok", word: "would change" } as const;

interface OutcomeProps {
  one: string;
  results: readonly OneResult[];
  isDryRun: boolean;
}

function Outcome({ one, results, isDryRun }: OutcomeProps) {
  const countOf = (word: OneResult["result"]) => results.filter(({ result }) => result === word).length;
  return (
    <div className="many-outcome" role="status">
      <p>
        {isDryRun ? "Would change" : "Changed"} {plural(countOf("done"), one)}, {countOf("unchanged")}{" "}
        unchanged, {countOf("refused")} refused.
        {isDryRun && " Nothing has changed yet."}
      </p>
      <ul>
        {results.map(({ name, result, text, order, resets }, place) => (
          <li key={name}>
            {name} <StateBadge {...(isDryRun && result === "done" ? WOULD : RESULTS[result])} />{" "}
            <span className="muted">{text}</span>
            {order !== undefined && place < MOST_FOLLOWED && <OrderSteps {...order} />}
            {resets !== undefined && <ResetSteps {...resets} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
