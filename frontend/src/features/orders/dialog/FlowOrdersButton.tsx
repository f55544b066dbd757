import { Button } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { Suspense } from "react";
import type { FlowAddress } from "@/api/queries";
import { useMenuButton } from "@/components/dialog/useMenuButton";
import { useMayFlow } from "@/components/flow/service";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { lazyPart } from "@/lib/view/lazy-part";

const FlowOrderMenu = lazyPart(() => import("@/features/orders/dialog/FlowOrderMenu"));

/** Opens the orders for a flow; hidden from those who may not give any. */
export function FlowOrdersButton({ source, target }: FlowAddress) {
  const mayAct = useMayFlow({ source, target }, "flows.act");
  const { isOpen, open, close, ref } = useMenuButton();
  const [dialog, order] = useOrderDialog();
  if (!mayAct) return null;
  const button = (
    <Button
      size="xs"
      variant="default"
      rightSection={<IconChevronDown size={14} aria-hidden />}
      ref={ref}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={open}
    >
      Actions
    </Button>
  );
  return (
    <div className="page-actions">
      {isOpen ? (
        <Suspense fallback={button}>
          <FlowOrderMenu source={source} target={target} onOrder={order} onClose={close}>
            {button}
          </FlowOrderMenu>
        </Suspense>
      ) : (
        button
      )}
      {dialog}
    </div>
  );
}
