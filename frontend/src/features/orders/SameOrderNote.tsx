import "@/components/form/form.css";
import { CopyText } from "@/components/form/CopyText";
import type { SameOrder } from "@/features/orders/commands";

/** The order as a command and as a request, with buttons that copy them. */
export function SameOrderNote({ same }: { same: SameOrder }) {
  return (
    <details className="order-same">
      <summary>The same as a command</summary>
      <CopyText label="Command of srm-control" text={same.command} />
      <CopyText label="REST request" text={same.request} />
    </details>
  );
}
