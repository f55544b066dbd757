import { NativeSelect, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { RateField } from "@/features/orders/fields";
import { canEnd, type ManyAction, type TypedMany } from "@/features/orders/many/many-order";
import { ENDS } from "@/features/orders/order";
import { PositionFields } from "@/features/orders/PositionFields";

interface ManyFieldsProps<Action extends string> {
  actions: Readonly<Record<Action, ManyAction<Action>>>;
  typed: TypedMany<Action>;
  change: (part: Partial<TypedMany<Action>>) => void;
  /** why no chosen thing can get an action now; null: one of them can */
  refusalOf: (action: Action) => string | null;
  /** further fields */
  children: ReactNode;
}

/** The action, its reason, and what else it needs. */
export function ManyFields<Action extends string>(props: ManyFieldsProps<Action>) {
  const { actions, typed, change, refusalOf, children } = props;
  const { action, reason, end, rate, position } = typed;
  return (
    <div className="many-fields">
      <NativeSelect
        size="xs"
        label="Action"
        data={optionsOf(actions, refusalOf)}
        value={action}
        error={refusalOf(action)}
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
      {action === "reset" && (
        <PositionFields value={position} onChange={(position) => change({ position })} />
      )}
      {action === "throttle" && <RateField value={rate} onChange={(rate) => change({ rate })} />}
      {canEnd(action) && (
        <NativeSelect
          size="xs"
          label="Ends"
          data={ENDS.map(({ value, label }) => ({ value, label }))}
          value={end}
          onChange={(event) => change({ end: event.currentTarget.value })}
        />
      )}
      {children}
    </div>
  );
}

/** Each action; one that no chosen thing can get now says why. */
function optionsOf<Action extends string>(
  actions: ManyFieldsProps<Action>["actions"],
  refusalOf: (action: Action) => string | null,
) {
  return Object.entries<ManyAction<Action>>(actions).map(([value, { label }]) => {
    const why = refusalOf(value as Action);
    return { value, label: why === null ? label : `${label}: ${why}`, disabled: why !== null };
  });
}
