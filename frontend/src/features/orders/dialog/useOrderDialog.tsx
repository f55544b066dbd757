import { lazy, type ReactNode, Suspense, useState } from "react";
import type { WantedOrder } from "@/features/orders/dialog/OrderDialog";

const OrderDialog = lazy(() => import("@/features/orders/dialog/OrderDialog"));

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
