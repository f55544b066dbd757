import { ActionIcon, Popover } from "@mantine/core";
import { IconTerminal2 } from "@tabler/icons-react";
import { type ReactNode, Suspense, useState } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";

interface CommandsButtonProps {
  label: string;
  size?: number;
  children: ReactNode;
}

/** A button that shows a command and a request, to copy; they are rendered when it is pressed. */
export function CommandsButton({ label, size = 30, children }: CommandsButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <Popover
      opened={isOpen}
      onChange={setOpen}
      width="max-content"
      position="bottom-end"
      transitionProps={{ duration: 0 }}
    >
      <Popover.Target>
        <ActionIcon
          variant="default"
          size={size}
          aria-label={label}
          title={label}
          onClick={() => setOpen(!isOpen)}
        >
          <IconTerminal2 size={size < 30 ? 14 : 16} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label={label} maw="min(640px, calc(100vw - 16px))">
        <ErrorBoundary what="The command">
          <Suspense fallback="…">{children}</Suspense>
        </ErrorBoundary>
      </Popover.Dropdown>
    </Popover>
  );
}
