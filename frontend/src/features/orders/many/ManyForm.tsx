import "@/features/orders/many/many.css";
import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { FormProblem } from "@/components/form/FormProblem";
import { StateBadge } from "@/components/StateBadge";
import { RateField } from "@/features/orders/fields";
import { ENDS, endOf, rateOf } from "@/features/orders/order";
import { plural } from "@/lib/format";

/** An action on every chosen thing, as it is sent for each of them. */
export interface ManyOrder<Action extends string> {
  action: Action;
  reason: string;
  until_ms?: number | null;
  /** of a throttle */
  bytes_per_second?: number | null;
}

/** How an action is offered. */
export interface ManyAction {
  label: string;
  effect: string;
  /** the word on the button, before the number of chosen things; absent: the label */
  submit?: string;
}

/** The outcome of one chosen thing. */
export interface OneResult {
  name: string;
  result: keyof typeof RESULTS;
  text: string;
}

interface ManyFormProps<Action extends string> {
  /** what is chosen: "flow" */
  one: string;
  count: number;
  actions: Readonly<Record<Action, ManyAction>>;
  first: Action;
  /** actions that the number of chosen things confirms */
  confirmed: readonly Action[];
  /** one that is refused stops no other; a dry run changes nothing */
  act: (order: ManyOrder<Action>, isDryRun: boolean) => Promise<readonly OneResult[]>;
  /** reads again what the action has changed */
  refresh: () => Promise<unknown>;
  onClear: () => void;
}

/** One action on everything that is chosen, with a result for each. */
export function ManyForm<Action extends string>(props: ManyFormProps<Action>) {
  const { one, count, actions, confirmed, act, onClear } = props;
  const [action, setAction] = useState(props.first);
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const [typed, setTyped] = useState("");
  const [rate, setRate] = useState("");
  const isThrottle = action === "throttle";
  const canEnd = action === "pause" || action === "stop" || isThrottle;
  const wanted = (): ManyOrder<Action> => ({
    action,
    reason: reason.trim(),
    ...(canEnd ? { until_ms: endOf(end, Date.now()) } : {}),
    ...(isThrottle ? { bytes_per_second: rateOf(rate) } : {}),
  });
  const order = useMutation({ mutationFn: () => act(wanted(), false), onSettled: props.refresh });
  const rehearsal = useMutation({ mutationFn: () => act(wanted(), true) });
  const forget = (): void => {
    order.reset();
    rehearsal.reset();
  };
  const { label, effect, submit = label } = actions[action];
  const needsName = confirmed.includes(action);
  const phrase = plural(count, one);
  const isComplete = reason.trim() !== "" && (!isThrottle || rateOf(rate) !== null);
  const isReady = isComplete && (!needsName || typed.trim() === phrase);
  const results = order.data ?? rehearsal.data;
  return (
    <form
      className="many"
      aria-label={`Action on the chosen ${one}s`}
      onChange={forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !order.isPending) order.mutate();
      }}
    >
      <p className="many-count" role="status">
        {phrase} chosen. <span className="muted">{effect}</span>
      </p>
      <div className="many-fields">
        <NativeSelect
          size="xs"
          label="Action"
          data={Object.entries<ManyAction>(actions).map(([value, { label }]) => ({ value, label }))}
          value={action}
          onChange={(event) => setAction(event.currentTarget.value as Action)}
        />
        <TextInput
          size="xs"
          label="Reason"
          maxLength={500}
          required
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {isThrottle && <RateField value={rate} onChange={setRate} />}
        {canEnd && (
          <NativeSelect
            size="xs"
            label="Ends"
            data={ENDS.map(({ value, label }) => ({ value, label }))}
            value={end}
            onChange={(event) => setEnd(event.currentTarget.value)}
          />
        )}
        {needsName && (
          <TextInput
            size="xs"
            label={`Type "${phrase}" to confirm`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Button size="xs" type="submit" disabled={!isReady} loading={order.isPending}>
          {submit} {phrase}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={!isComplete}
          loading={rehearsal.isPending}
          onClick={() => rehearsal.mutate()}
        >
          Dry run
        </Button>
        <Button size="xs" variant="default" onClick={onClear}>
          Clear the choice
        </Button>
      </div>
      <FormProblem error={order.error ?? rehearsal.error} />
      {results !== undefined && <Outcome one={one} results={results} isDryRun={order.data === undefined} />}
    </form>
  );
}

const RESULTS = {
  done: { tone: "ok", word: "done" },
  unchanged: { tone: "idle", word: "unchanged" },
  refused: { tone: "bad", word: "refused" },
} as const;

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
        {results.map(({ name, result, text }) => (
          <li key={name}>
            {name} <StateBadge {...(isDryRun && result === "done" ? WOULD : RESULTS[result])} />{" "}
            <span className="muted">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
