import type { Flow, FlowStatus } from "@/api/types";
import { ReasonedButton } from "@/components/form/ReasonedButton";
import { KINDS } from "@/features/orders/kinds";
import { type OrderKind, offeredOf, refusal } from "@/features/orders/order";

interface OrderButtonsProps {
  status: FlowStatus | undefined;
  ordered: Flow["ordered_state"] | undefined;
  open: OrderKind | null;
  onOpen: (kind: OrderKind) => void;
}

/** The buttons that open the forms of orders; what cannot be done now is disabled with the reason. */
export function OrderButtons({ status, ordered, open, onOpen }: OrderButtonsProps) {
  return (
    <>
      {offeredOf(status, ordered).map((kind) => {
        const { word, Icon } = KINDS[kind];
        const why = refusal(kind, status, ordered);
        return (
          <ReasonedButton
            key={kind}
            size="xs"
            variant="default"
            leftSection={<Icon size={14} aria-hidden />}
            why={why}
            aria-expanded={open === kind}
            onClick={() => onOpen(kind)}
          >
            {word}
          </ReasonedButton>
        );
      })}
      {status === "disabled" && <span className="card-note">{refusal("pause", status, ordered)}</span>}
    </>
  );
}
