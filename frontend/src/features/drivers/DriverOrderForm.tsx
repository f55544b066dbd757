import { DrainForm, type DrainOrder } from "@/features/drivers/DrainForm";
import { RestartForm } from "@/features/drivers/RestartForm";

export type DriverOrder = DrainOrder | "restart";

export interface WantedDriverOrder {
  driver: string;
  order: DriverOrder;
}

/** The form of an order to a driver over any page. */
export default function DriverOrderForm({
  driver,
  order,
  onClose,
}: WantedDriverOrder & { onClose: () => void }) {
  if (order === "restart") return <RestartForm driver={driver} onClose={onClose} />;
  return <DrainForm driver={driver} order={order} onClose={onClose} />;
}
