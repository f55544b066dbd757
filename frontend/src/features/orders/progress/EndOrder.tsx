import { ActionIcon } from "@mantine/core";
import { IconX } from "@tabler/icons-react";

interface EndOrderProps {
  /** names the button by a verb and its object */
  label: string;
  /** opens the form of the order that ends it */
  onEnd: () => void;
}

/** The button of a row that opens the form that ends its order. */
export function EndOrder({ label, onEnd }: EndOrderProps) {
  return (
    <ActionIcon
      className="order-ends"
      size={24}
      variant="default"
      aria-label={label}
      title={label}
      aria-haspopup="dialog"
      onClick={onEnd}
    >
      <IconX size={14} aria-hidden />
    </ActionIcon>
  );
}
