import "@/components/form/form.css";
import { Button } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { FlowAddress } from "@/api/queries";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { DryRunNote } from "@/features/orders/DryRun";
import { OrderError, SHOWN_FIELDS } from "@/features/orders/fields";
import type { DryRun, GivenOrder } from "@/features/orders/order";
import { refreshOrders } from "@/features/orders/refresh";
import type { ByHand } from "@/lib/by-hand";
import { focusInPlace } from "@/lib/view/focus";

export interface OrderFormProps {
  flow: FlowAddress;
  onClose: () => void;
  onGiven: (order: GivenOrder) => void;
}

interface OrderPanelProps extends OrderFormProps {
  title: string;
  /** describes what the order does */
  effect: ReactNode;
  /** the word on the button that gives the order */
  submit: string;
  isReady: boolean;
  /** true when a dry run can be asked for; absent: when the order is ready */
  canRehearse?: boolean;
  /** true when the order cannot be undone */
  isDangerous?: boolean;
  give: () => Promise<GivenOrder>;
  /** asks for the effect without giving the order; absent: the service has no dry run of it */
  rehearse?: () => Promise<DryRun>;
  /** the order as a command, to copy; null: it is not complete */
  same?: ByHand | null;
  children?: ReactNode;
}

/** The form of an order: its effect, its fields and, after a refusal, the reason. */
export function OrderPanel(props: OrderPanelProps) {
  const {
    flow,
    title,
    effect,
    submit,
    isReady,
    canRehearse = isReady,
    same,
    isDangerous = false,
    give,
    rehearse,
    onClose,
    onGiven,
  } = props;
  const [opener] = useState(() => document.activeElement);
  const close = () => {
    onClose();
    if (opener instanceof HTMLElement) focusInPlace(opener);
  };
  const heading = useRef<HTMLHeadingElement>(null);
  const queries = useQueryClient();
  const order = useMutation({
    mutationFn: give,
    onSuccess: onGiven,
    onSettled: () => refreshOrders(queries, flow),
  });
  const rehearsal = useMutation({
    mutationFn: () => rehearse?.() ?? Promise.reject(new Error("No dry run")),
  });
  const error = order.error ?? rehearsal.error;
  useEffect(() => heading.current?.focus(), []);
  return (
    <form
      className="order-panel"
      aria-label={title}
      onChange={rehearsal.reset}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !order.isPending) close();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !order.isPending) order.mutate();
      }}
    >
      <h3 ref={heading} tabIndex={-1}>
        {title}
      </h3>
      <p className="muted">{effect}</p>
      <OrderError value={error}>
        <div className="order-fields">{props.children}</div>
      </OrderError>
      {rehearsal.data !== undefined && <DryRunNote dryRun={rehearsal.data} />}
      <FormProblem error={error} shown={SHOWN_FIELDS} />
      {same && isReady && <ByHandNote same={same} />}
      <div className="order-buttons">
        <Button
          size="xs"
          type="submit"
          disabled={!isReady}
          loading={order.isPending}
          className={isDangerous ? "order-danger" : ""}
        >
          {submit}
        </Button>
        {rehearse !== undefined && (
          <Button
            size="xs"
            variant="default"
            disabled={!canRehearse || order.isPending}
            loading={rehearsal.isPending}
            onClick={() => rehearsal.mutate()}
          >
            Dry run
          </Button>
        )}
        <Button size="xs" variant="default" disabled={order.isPending} onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
