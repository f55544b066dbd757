/** The word and the picture of each kind of order. */
import {
  IconGauge,
  IconGaugeOff,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconPower,
  IconRefresh,
  IconRewindBackward10,
  IconToggleLeft,
  IconToggleRight,
  IconTrash,
} from "@tabler/icons-react";
import type { OrderKind } from "@/features/orders/order";

export const KINDS: Record<OrderKind, { word: string; Icon: typeof IconGauge }> = {
  pause: { word: "Pause", Icon: IconPlayerPause },
  resume: { word: "Resume", Icon: IconPlayerPlay },
  stop: { word: "Stop", Icon: IconPlayerStop },
  start: { word: "Start", Icon: IconPower },
  restart: { word: "Restart", Icon: IconRefresh },
  throttle: { word: "Throttle", Icon: IconGauge },
  unthrottle: { word: "Remove the throttle", Icon: IconGaugeOff },
  reset: { word: "Reset a topic", Icon: IconRewindBackward10 },
  enable: { word: "Enable", Icon: IconToggleRight },
  disable: { word: "Disable", Icon: IconToggleLeft },
  delete: { word: "Delete", Icon: IconTrash },
};
