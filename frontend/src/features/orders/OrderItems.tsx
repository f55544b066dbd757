import "@/features/orders/orders.css";
import { Menu } from "@mantine/core";
import { KINDS } from "@/features/orders/kinds";
import type { OrderKind } from "@/features/orders/order";

interface OrderItemsProps {
  kinds: readonly OrderKind[];
  /** words that are not those of an order to a flow */
  words?: Partial<Record<OrderKind, string>>;
  /** why an order cannot be given now; null: it can */
  refusalOf?: (kind: OrderKind) => string | null;
  onPick: (kind: OrderKind) => void;
}

/** The item keeps the focus, so that its reason is read. */
const NOT_NOW = { "aria-disabled": true, "data-disabled": true, closeMenuOnClick: false };

/** Orders as items of a menu; what cannot be done now is disabled with the reason. */
export function OrderItems({ kinds, words = {}, refusalOf = () => null, onPick }: OrderItemsProps) {
  return kinds.map((kind) => {
    const { word, Icon } = KINDS[kind];
    const why = refusalOf(kind);
    return (
      <Menu.Item
        key={kind}
        className={kind === "delete" ? "order-item-danger" : undefined}
        leftSection={<Icon size={16} aria-hidden />}
        {...(why === null ? { onClick: () => onPick(kind) } : NOT_NOW)}
      >
        {words[kind] ?? word}
        {why !== null && <span className="order-why">{why}</span>}
      </Menu.Item>
    );
  });
}
