import { type ReactNode, Suspense, useState } from "react";
import type { WantedOrder } from "@/features/orders/dialog/OrderDialog";
import { lazyPart } from "@/lib/view/lazy-part";

const OrderDialog = lazyPart(() => import("@/features/orders/dialog/OrderDialog"));

export type OpenOrder = (order: WantedOrder) => void;

/** Opens the form of an order over the page; the part of the page that renders the dialog outlives its rows. */
export function useOrderDialog(): [ReactNode, OpenOrder] {
  const [wanted, setWanted] = useState<WantedOrder | null>(null);
  const dialog = wanted !== null && (
    <Suspense fallback={null}>
      <OrderDialog {...wanted} onClose={() => setWanted(null)} />
    </Suspense>
  );
  return [dialog, setWanted];
}
