import "@/features/orders/orders.css";
import { HoldForm } from "@/features/orders/HoldForm";
import type { OrderFormProps } from "@/features/orders/OrderPanel";
import type { OrderKind } from "@/features/orders/order";
import { PauseForm } from "@/features/orders/PauseForm";
import { ResetForm } from "@/features/orders/ResetForm";
import { ThrottleForm } from "@/features/orders/ThrottleForm";

/** The form of an order; a part of the page that is loaded when an operator opens it. */
export default function OrderForm({ kind, ...props }: OrderFormProps & { kind: OrderKind }) {
  if (kind === "throttle") return <ThrottleForm {...props} />;
  if (kind === "hold") return <HoldForm {...props} />;
  if (kind === "reset") return <ResetForm {...props} />;
  return <PauseForm key={kind} {...props} action={kind} />;
}
