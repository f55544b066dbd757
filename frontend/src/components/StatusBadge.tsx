import {
  IconAlertTriangleFilled,
  IconCircleCheckFilled,
  IconCircleXFilled,
  IconClockFilled,
  IconHelpCircleFilled,
  IconHourglassFilled,
  IconPlayerPauseFilled,
  IconPlayerStopFilled,
  IconPlugConnectedX,
  type IconProps,
} from "@tabler/icons-react";
import type { ComponentType } from "react";
import type { FlowStatus } from "@/api/types";
import { statusWord, toneOf } from "@/lib/status";

const ICONS: Record<FlowStatus, ComponentType<IconProps>> = {
  healthy: IconCircleCheckFilled,
  degraded: IconAlertTriangleFilled,
  starting: IconHourglassFilled,
  interrupted: IconPlugConnectedX,
  failed: IconCircleXFilled,
  unknown: IconHelpCircleFilled,
  idle: IconClockFilled,
  paused: IconPlayerPauseFilled,
  disabled: IconPlayerStopFilled,
};

/** Icon, word and colour together: never colour alone. */
export function StatusBadge({ status }: { status: string }) {
  const Icon = ICONS[status as FlowStatus] ?? IconHelpCircleFilled;
  return (
    <span className="badge" data-tone={toneOf(status)}>
      <Icon size={14} aria-hidden />
      {statusWord(status)}
    </span>
  );
}
