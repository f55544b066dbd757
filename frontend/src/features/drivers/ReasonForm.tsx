import { Button, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { reasonOf } from "@/api/problem";

interface ReasonFormProps {
  title: string;
  /** what the order does, beside the reason */
  effect: string;
  confirm: string;
  isPending: boolean;
  error: Error | null;
  onOrder: (reason: string) => void;
  onCancel: () => void;
  children?: ReactNode;
}

/** Asks for the reason of an order to a driver, and for the further fields in `children`. */
export function ReasonForm({
  title,
  effect,
  confirm,
  isPending,
  error,
  onOrder,
  onCancel,
  children,
}: ReasonFormProps) {
  const [reason, setReason] = useState("");
  return (
    <form
      aria-label={title}
      onSubmit={(event) => {
        event.preventDefault();
        onOrder(reason);
      }}
    >
      <TextInput
        size="xs"
        label="Reason"
        description={effect}
        value={reason}
        maxLength={500}
        error={error && reasonOf(error)}
        data-autofocus
        onChange={(event) => setReason(event.currentTarget.value)}
      />
      {children}
      <Button.Group>
        <Button size="xs" type="submit" loading={isPending}>
          {confirm}
        </Button>
        <Button size="xs" variant="default" disabled={isPending} onClick={onCancel}>
          Cancel
        </Button>
      </Button.Group>
    </form>
  );
}
