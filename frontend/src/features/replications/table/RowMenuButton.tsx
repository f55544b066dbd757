import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { memo, Suspense } from "react";
import { useMenuButton } from "@/components/dialog/useMenuButton";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { lazyPart } from "@/lib/view/lazy-part";

const RowMenu = lazyPart(() => import("@/features/replications/table/RowMenu"));

interface RowMenuButtonProps {
  flowKey: string;
  onOrder: OpenOrder;
}

/** Opens the menu of a flow, which is loaded when it is first needed. */
export const RowMenuButton = memo(function RowMenuButton({ flowKey, onOrder }: RowMenuButtonProps) {
  const [source = "", target = ""] = flowKey.split("->");
  const { isOpen, open, close, ref } = useMenuButton();
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={`Actions on ${source} to ${target}`}
      ref={ref}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={open}
    >
      <IconDots size={18} aria-hidden />
    </ActionIcon>
  );
  if (!isOpen) return button;
  return (
    <Suspense fallback={button}>
      <RowMenu source={source} target={target} onOrder={onOrder} onClose={close}>
        {button}
      </RowMenu>
    </Suspense>
  );
});
