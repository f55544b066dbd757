import { ActionIcon, Tooltip } from "@mantine/core";
import { IconPin, IconPinFilled } from "@tabler/icons-react";
import { usePreferences } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import { toggledPin } from "@/lib/pins";
import { flowKey } from "@/live/flow-row";

/** Pins a flow, which is then first in the table of flows and in the search, or removes its pin. */
export function PinButton({ source, target }: FlowAddress) {
  const [{ pinned_flows }, change] = usePreferences();
  const key = flowKey(source, target);
  const isPinned = pinned_flows.includes(key);
  const Icon = isPinned ? IconPinFilled : IconPin;
  const label = isPinned ? `Unpin ${source} to ${target}` : `Pin ${source} to ${target}`;
  return (
    <Tooltip label={isPinned ? "Unpin" : "Pin to the top of lists and search results"}>
      <ActionIcon
        variant="subtle"
        color="gray"
        size={30}
        aria-label={label}
        aria-pressed={isPinned}
        onClick={() => change({ pinned_flows: toggledPin(pinned_flows, key) })}
      >
        <Icon size={16} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
