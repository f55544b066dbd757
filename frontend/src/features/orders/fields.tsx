import { NativeSelect, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { createContext, useContext, useId } from "react";
import { type FlowAddress, flowTopicsQuery } from "@/api/queries";
import { fieldError } from "@/components/form/FormProblem";
import { rowsOf } from "@/components/PagedTable";
import { ENDS, MOST_RATE, rateOf } from "@/features/orders/order";
import { exactNumber } from "@/lib/format";
import { wholeNumber } from "@/lib/words";

const TYPING_MS = 250;

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

export function ReasonField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      size="xs"
      label="Reason"
      description="Shown with the flow and in the audit trail"
      value={value}
      maxLength={500}
      required
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function EndField({ value, onChange }: FieldProps) {
  return (
    <NativeSelect
      size="xs"
      label="Ends"
      description="When the order ends, the flow continues"
      data={ENDS.map((end) => ({ value: end.value, label: end.label }))}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** The fields of an order that show their own error: the topic of a reset, and that of the other orders. */
export const SHOWN_FIELDS = ["topic", "scope.topic"];
/** Why the service refuses the order. */
export const OrderError = createContext<Error | null>(null);

/** A topic by its name on the source; suggests those of the flow. `isWholeFlow`: empty stands for the flow. */
export function TopicField({
  flow,
  value,
  onChange,
  isWholeFlow = false,
}: FieldProps & { flow: FlowAddress; isWholeFlow?: boolean }) {
  const listId = useId();
  const refusal = useContext(OrderError);
  const [error] = SHOWN_FIELDS.flatMap((name) => fieldError(refusal, name) ?? []);
  const [typed] = useDebouncedValue(value, TYPING_MS);
  const topics = rowsOf(useInfiniteQuery(flowTopicsQuery(flow, typed))) ?? [];
  return (
    <>
      <TextInput
        size="xs"
        label="Topic"
        description={isWholeFlow ? "Empty for the whole flow" : "Name on the source"}
        value={value}
        error={error}
        maxLength={249}
        required={!isWholeFlow}
        list={listId}
        autoComplete="off"
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <datalist id={listId}>
        {topics.map(({ topic }) => (
          <option key={topic} value={topic} />
        ))}
      </datalist>
    </>
  );
}

/** True for no partition, which means all, and for a number. Pure. */
export const isPartition = (text: string) => text.trim() === "" || wholeNumber(text) !== null;

export function PartitionField({ value, onChange }: FieldProps) {
  return (
    <TextInput
      size="xs"
      label="Partition"
      description="Empty for all partitions"
      inputMode="numeric"
      value={value}
      error={isPartition(value) ? undefined : "A partition is a number such as 0"}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A rate in MB per second. */
export function RateField({ value, onChange }: FieldProps) {
  const isWrong = value.trim() !== "" && rateOf(value) === null;
  return (
    <TextInput
      size="xs"
      label="MB per second"
      description="1 MB is 1,000,000 bytes"
      inputMode="decimal"
      value={value}
      required
      error={
        isWrong ? `A rate is above 0 and at most ${exactNumber(MOST_RATE)}, such as 10 or 0.5` : undefined
      }
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** Asks for the name of what an order is for before it can be given. */
export function ConfirmField({ name, value, onChange }: FieldProps & { name: string }) {
  return (
    <TextInput
      size="xs"
      label="Confirm"
      description={
        <>
          Type <code>{name}</code>
        </>
      }
      value={value}
      required
      autoComplete="off"
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
