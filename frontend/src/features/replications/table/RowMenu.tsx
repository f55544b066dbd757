import { Menu } from "@mantine/core";
import {
  IconChecklist,
  IconExternalLink,
  IconLayoutList,
  IconPin,
  IconPinFilled,
  IconUsersGroup,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { usePreferences } from "@/api/personal";
import { CopyItem } from "@/components/copy/CopyItem";
import { isTabHere, useServiceOf } from "@/components/flow/service";
import { FlowOrderItems } from "@/features/orders/dialog/FlowOrderItems";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { toggledPin } from "@/lib/pins";
import { flowKey } from "@/live/flow-row";

interface RowMenuProps {
  source: string;
  target: string;
  onOrder: OpenOrder;
  onClose: () => void;
  /** the button that opens the menu */
  children: ReactNode;
}

const PARTS = [
  { tab: undefined, label: "Open the flow", Icon: IconExternalLink },
  { tab: "topics", label: "Topics", Icon: IconLayoutList },
  { tab: "groups", label: "Consumer groups", Icon: IconUsersGroup },
  { tab: "tasks", label: "Tasks", Icon: IconChecklist },
] as const;

/** The orders for a flow, where it continues, and what can be copied of it. */
export default function RowMenu({ source, target, onOrder, onClose, children }: RowMenuProps) {
  const key = flowKey(source, target);
  const service = useServiceOf({ source, target });
  const [{ pinned_flows }, change] = usePreferences();
  const isPinned = pinned_flows.includes(key);
  const PinIcon = isPinned ? IconPinFilled : IconPin;
  const copies = [
    { label: "Copy the name", text: `${source}->${target}` },
    { label: "Copy the srm-control command", text: `srm-control flows show '${source}->${target}'` },
    { label: "Copy the REST address", text: restAddress(source, target) },
  ];
  return (
    <Menu opened onChange={(isOpen) => !isOpen && onClose()} position="bottom-end">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown aria-label={`Actions on ${source} to ${target}`}>
        {PARTS.filter(({ tab }) => isTabHere(service, tab)).map(({ tab, label, Icon }) => (
          <Menu.Item
            key={label}
            leftSection={<Icon size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link
                {...props}
                to="/replications/$source/$target"
                params={{ source, target }}
                search={(search) => ({ from: search.from, to: search.to, tab })}
              />
            )}
          >
            {label}
          </Menu.Item>
        ))}
        <Menu.Item
          leftSection={<PinIcon size={16} aria-hidden />}
          onClick={() => change({ pinned_flows: toggledPin(pinned_flows, key) })}
        >
          {isPinned ? "Unpin" : "Pin to the top"}
        </Menu.Item>
        <Menu.Divider />
        <FlowOrderItems source={source} target={target} onOrder={onOrder} />
        <Menu.Divider />
        {copies.map(({ label, text }) => (
          <CopyItem key={label} label={label} text={() => text} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

function restAddress(source: string, target: string): string {
  const path = `/api/v2/replications/${encodeURIComponent(source)}/${encodeURIComponent(target)}`;
  return `${window.location.origin}${path}`;
}
