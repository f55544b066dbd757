import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { Suspense } from "react";
import type { FlowAddress } from "@/api/queries";
import { useMenuButton } from "@/components/dialog/useMenuButton";
import type { OrderKind, Scope } from "@/features/orders/order";
import { lazyPart } from "@/lib/view/lazy-part";

const ScopeMenu = lazyPart(() => import("@/features/orders/scope/ScopeMenu"));

interface ScopeMenuButtonProps {
  flow: FlowAddress;
  scope: Scope;
  onPick: (kind: OrderKind, scope: Scope) => void;
}

/** Opens the menu of orders for a topic or a partition, which is loaded when it is first needed. */
export function ScopeMenuButton({ flow, scope, onPick }: ScopeMenuButtonProps) {
  const { isOpen, open, close, ref } = useMenuButton();
  const { topic, partition } = scope;
  const label = `Orders for ${partition === null ? topic : `partition ${partition} of ${topic}`}`;
  const button = (
    <ActionIcon
      className="scope-menu"
      variant="subtle"
      color="gray"
      size={24}
      aria-label={label}
      ref={ref}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={open}
    >
      <IconDots size={16} aria-hidden />
    </ActionIcon>
  );
  if (!isOpen) return button;
  const pick = (kind: OrderKind) => {
    close();
    onPick(kind, scope);
  };
  return (
    <Suspense fallback={button}>
      <ScopeMenu flow={flow} scope={scope} label={label} onPick={pick} onClose={close}>
        {button}
      </ScopeMenu>
    </Suspense>
  );
}
