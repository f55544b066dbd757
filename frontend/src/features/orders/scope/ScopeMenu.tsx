import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import { KINDS } from "@/features/orders/kinds";
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
        {OFFERED.map((kind) => {
          const { word, Icon } = KINDS[kind];
          return (
            <Menu.Item key={kind} leftSection={<Icon size={16} aria-hidden />} onClick={() => onPick(kind)}>
              {kind === "reset" ? "Reset" : word}
            </Menu.Item>
          );
        })}
      </Menu.Dropdown>
    </Menu>
  );
}
