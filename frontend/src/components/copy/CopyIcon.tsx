import { IconAlertTriangle, IconCheck, IconCopy } from "@tabler/icons-react";
import type { useCopy } from "@/components/copy/useCopy";

const ICONS = { copied: IconCheck, refused: IconAlertTriangle } as const;

/** The icon of a button that copies, and of the result of the last copy. */
export function CopyIcon({ result, size }: { result: ReturnType<typeof useCopy>["result"]; size: number }) {
  const Icon = result === undefined ? IconCopy : ICONS[result];
  return <Icon size={size} aria-hidden />;
}
