import { Menu } from "@mantine/core";
import type { ReactNode } from "react";
import type { FlowAddress } from "@/api/queries";
import { FlowOrderItems } from "@/features/orders/dialog/FlowOrderItems";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";

interface FlowOrderMenuProps extends FlowAddress {
  onOrder: OpenOrder;
  onClose: () => void;
  /** the button that opens the menu */
  children: ReactNode;
}

export default function FlowOrderMenu({ source, target, onOrder, onClose, children }: FlowOrderMenuProps) {
  return (
    <Menu opened onChange={(isOpen) => !isOpen && onClose()} position="bottom-end">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown aria-label={`Orders for ${source} to ${target}`}>
        <FlowOrderItems source={source} target={target} onOrder={onOrder} />
      </Menu.Dropdown>
    </Menu>
  );
}
