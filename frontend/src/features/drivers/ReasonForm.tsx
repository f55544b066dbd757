import "@/components/form/form.css";
import { Button, TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import { Dialog } from "@/components/dialog/Dialog";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem, fieldError } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import type { ByHand } from "@/lib/by-hand";

export interface ReasonedOrder {
  reason: string;
  /** forgets what was typed, once the order is given */
  forget: () => void;
}

interface ReasonFormProps {
  title: string;
  /** what the order does */
  effect: string;
  confirm: string;
  isPending: boolean;
  error: Error | null;
  /** the order as a command and a request, to copy */
  same: (reason: string) => ByHand;
  onOrder: (order: ReasonedOrder) => void;
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
  same,
  onOrder,
  onCancel,
  children,
}: ReasonFormProps) {
  const [{ reason }, change, forget] = useSessionState(`driver: ${title}`, { reason: "" });
  const cancel = () => {
    forget();
    onCancel();
  };
  return (
    <Dialog label={title} onClose={onCancel}>
      <form
        className="dialog-form"
        aria-label={title}
        onSubmit={(event) => {
          event.preventDefault();
          onOrder({ reason, forget });
        }}
      >
        <h2>{title}</h2>
        <p>{effect}</p>
        <TextInput
          size="xs"
          label="Reason"
          description="Shown with the driver and in the audit trail"
          value={reason}
          maxLength={500}
          error={fieldError(error, "reason")}
          data-autofocus
          onChange={(event) => change({ reason: event.currentTarget.value })}
        />
        {children}
        <FormProblem error={error} shown={["reason"]} />
        <ByHandNote same={same(reason)} />
        <div className="form-buttons">
          <Button size="xs" type="submit" loading={isPending}>
            {confirm}
          </Button>
          <Button size="xs" variant="default" disabled={isPending} onClick={cancel}>
            Cancel
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
