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

/** A state that is not the status of a flow, in the same form. */
export function StateBadge({ tone, word }: { tone: Tone; word: string }) {
  const Icon = ICONS[tone];
  return (
    <span className="badge" data-tone={tone}>
      <Icon size={14} aria-hidden />
      {word}
    </span>
  );
}
