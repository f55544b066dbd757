import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";

interface RefreshButtonProps {
  /** the verb, such as "Retry" */
  label: string;
  isReading?: boolean;
  onRefresh: () => void;
}

/** Asks the service again. */
export function RefreshButton({ label, isReading = false, onRefresh }: RefreshButtonProps) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconRefresh size={14} aria-hidden />}
      loading={isReading}
      onClick={onRefresh}
    >
      {label}
    </Button>
  );
}
