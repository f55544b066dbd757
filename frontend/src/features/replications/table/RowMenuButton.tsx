import { ActionIcon } from "@mantine/core";
import { IconDots } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import type { FlowRow } from "@/live/flow-row";

const RowMenu = lazy(() => import("@/features/replications/table/RowMenu"));

/** Opens the menu of a flow, which is loaded when it is first needed. */
export function RowMenuButton({ flow }: { flow: FlowRow }) {
  const [isOpen, setOpen] = useState(false);
  const button = (
    <ActionIcon
      variant="subtle"
      color="gray"
      size={28}
      aria-label={`Actions on ${flow.source} to ${flow.target}`}
      aria-haspopup="menu"
      aria-expanded={isOpen}
      onClick={() => setOpen(true)}
    >
      <IconDots size={18} aria-hidden />
    </ActionIcon>
  );
  if (!isOpen) return button;
  return (
    <Suspense fallback={button}>
      <RowMenu flow={flow} onClose={() => setOpen(false)}>
        {button}
      </RowMenu>
    </Suspense>
  );
}
