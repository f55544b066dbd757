import { ActionIcon, Popover } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { ListPlace } from "@/components/by-hand/lists";

const ListCalls = lazy(() => import("@/components/by-hand/ListCalls"));

/** A button that shows the command and the request behind a list, to copy. */
export function ListCommands(place: ListPlace) {
  const [isOpen, setOpen] = useState(false);
  const label = `Command and request of the ${place.list}`;
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      width={420}
      position="bottom-end"
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={30}
          aria-label={label}
          title={label}
          onClick={() => setOpen(!isOpen)}
        >
          <IconTerminal2 size={16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label}>
        <Suspense fallback="…">
          <ListCalls place={place} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
