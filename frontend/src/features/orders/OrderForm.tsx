import "@/features/orders/orders.css";
import { DeleteForm } from "@/features/orders/forms/DeleteForm";
import { ResetForm } from "@/features/orders/forms/ResetForm";
import { SwitchForm } from "@/features/orders/forms/SwitchForm";
import { ThrottleForm } from "@/features/orders/forms/ThrottleForm";
import { VerbForm } from "@/features/orders/forms/VerbForm";
import type { OrderFormProps } from "@/features/orders/OrderPanel";
import { type OrderKind, type Scope, WHOLE_FLOW } from "@/features/orders/order";
import type { Position } from "@/features/orders/PositionFields";

/** The form of an order; a part of the page that is loaded when an operator opens it. */
export default function OrderForm({
  kind,
  scope = WHOLE_FLOW,
  position,
  ...props
}: OrderFormProps & { kind: OrderKind; scope?: Scope; position?: Position | undefined }) {
  if (kind === "throttle" || kind === "unthrottle")
    return <ThrottleForm key={kind} {...props} scope={scope} kind={kind} />;
  if (kind === "reset") return <ResetForm {...props} scope={scope} position={position} />;
  if (kind === "delete") return <DeleteForm {...props} />;
  if (kind === "enable" || kind === "disable") return <SwitchForm key={kind} {...props} action={kind} />;
  return <VerbForm key={kind} {...props} verb={kind} scope={scope} />;
}
