import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { OrderItems } from "@/features/orders/OrderItems";
import type { OrderKind } from "@/features/orders/order";

const OFFERED = ["pause", "resume", "stop", "start", "restart", "throttle", "reset"] as const;

interface ScopeMenuProps {
  label: string;
  onPick: (kind: OrderKind) => void;
  onClose: () => void;
  /** the button that opens the menu */
  children: ReactNode;
}

/** The orders that a topic or a partition can get. */
export default function ScopeMenu({ label, onPick, onClose, children }: ScopeMenuProps) {
  return (
    <Menu
      opened
      onChange={(isOpen) => !isOpen && onClose()}
      position="bottom-start"
      portalProps={{ target: "main" }}
      withInitialFocusPlaceholder={false}
    >
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown aria-label={label}>
        <OrderItems kinds={OFFERED} onPick={onPick} />
      </Menu.Dropdown>
    </Menu>
  );
}
