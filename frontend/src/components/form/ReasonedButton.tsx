import { Button, type ButtonProps, Tooltip } from "@mantine/core";
import { type ComponentPropsWithoutRef, useId } from "react";

type ReasonedButtonProps = ButtonProps &
  Omit<ComponentPropsWithoutRef<"button">, "disabled"> & {
    /** why it cannot be used now; null: it can */
    why: string | null;
  };

const ALL_WAYS = { hover: true, focus: true, touch: true };

/** A button that says why it cannot be used now: keyboard and touch reach it and its reason. */
export function ReasonedButton({ why, onClick, ...props }: ReasonedButtonProps) {
  const reasonId = useId();
  if (why === null) return <Button {...props} onClick={onClick} />;
  return (
    <>
      <Tooltip label={why} events={ALL_WAYS}>
        <Button {...props} aria-disabled data-disabled aria-describedby={reasonId} />
      </Tooltip>
      <span className="visually-hidden" id={reasonId}>
        {why}
      </span>
    </>
  );
}
