import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconPointFilled,
} from "@tabler/icons-react";
import type { Tone } from "@/lib/status";

const ICONS = {
  ok: IconCircleCheckFilled,
  warn: IconAlertTriangleFilled,
  bad: IconCircleXFilled,
  idle: IconPointFilled,
};

interface StateBadgeProps {
  tone: Tone;
  word: string;
  /** true: screen readers announce each change of the word */
  isAnnounced?: boolean | undefined;
}

/** A state that is not the status of a flow, in the same form. */
export function StateBadge({ tone, word, isAnnounced = false }: StateBadgeProps) {
  const Icon = ICONS[tone];
  return (
    <span className="badge" data-tone={tone} role={isAnnounced ? "status" : undefined}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  );
}
