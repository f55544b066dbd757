import { Button } from "@mantine/core";
import {
  IconGauge,
  IconHandStop,
  IconPlayerPause,
  IconPlayerPlay,
  IconRewindBackward10,
} from "@tabler/icons-react";
import type { FlowStatus } from "@/api/types";
import { type OrderKind, pauseRefusal } from "@/features/orders/order";

interface OrderButtonsProps {
  status: FlowStatus | undefined;
  open: OrderKind | null;
  onOpen: (kind: OrderKind) => void;
}

const OTHERS = [
  { kind: "throttle", word: "Throttle", Icon: IconGauge },
  { kind: "hold", word: "Hold a topic", Icon: IconHandStop },
  { kind: "reset", word: "Reset a topic", Icon: IconRewindBackward10 },
] as const;

/** The buttons that open the forms of orders. */
export function OrderButtons({ status, open, onOpen }: OrderButtonsProps) {
  const refusal = pauseRefusal(status);
  const isPaused = status === "paused";
  const PauseIcon = isPaused ? IconPlayerPlay : IconPlayerPause;
  const pause = isPaused ? "resume" : "pause";
  return (
    <>
      <Button
        size="xs"
        variant="default"
        leftSection={<PauseIcon size={14} aria-hidden />}
        disabled={refusal !== null}
        aria-expanded={open === pause}
        title={refusal ?? undefined}
        onClick={() => onOpen(pause)}
      >
        {isPaused ? "Resume" : "Pause"}
      </Button>
      {OTHERS.map(({ kind, word, Icon }) => (
        <Button
          key={kind}
          size="xs"
          variant="default"
          leftSection={<Icon size={14} aria-hidden />}
          aria-expanded={open === kind}
          onClick={() => onOpen(kind)}
        >
          {word}
        </Button>
      ))}
      {refusal !== null && status !== undefined && <span className="card-note">{refusal}</span>}
    </>
  );
}
