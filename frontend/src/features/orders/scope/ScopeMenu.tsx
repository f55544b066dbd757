import { Menu } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { holdsQuery, stopsQuery } from "@/api/control";
import type { FlowAddress } from "@/api/queries";
import { wholeOf } from "@/components/PagedTable";
import { OrderItems } from "@/features/orders/OrderItems";
import { type OrderKind, partRefusal, type Scope } from "@/features/orders/order";

const OFFERED = ["pause", "resume", "stop", "start", "restart", "throttle", "reset"] as const;

interface ScopeMenuProps {
  flow: FlowAddress;
  scope: Scope;
  label: string;
  onPick: (kind: OrderKind) => void;
  onClose: () => void;
  /** the button that opens the menu */
  children: ReactNode;
}

/** The orders that a topic or a partition can get; what cannot be done now is disabled with the reason. */
export default function ScopeMenu({ flow, scope, label, onPick, onClose, children }: ScopeMenuProps) {
  const holds = wholeOf(useInfiniteQuery(holdsQuery(flow)));
  const stops = wholeOf(useInfiniteQuery(stopsQuery(flow)));
  const part = scope.partition === null ? "topic" : "partition";
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
        <OrderItems
          kinds={OFFERED}
          words={{ reset: `Reset the ${part}` }}
          refusalOf={(kind) => partRefusal(kind, scope, holds, stops)}
          onPick={onPick}
        />
      </Menu.Dropdown>
    </Menu>
  );
}
