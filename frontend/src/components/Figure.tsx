import type { ClipboardEvent } from "react";
import { exactNumber, isMeasured, type Measured, NOT_MEASURED, type Quantity } from "@/lib/format";
import { capitalized } from "@/lib/words";

interface FigureProps {
  value: Measured;
  as: (value: number) => Quantity;
  tone?: "warn" | "bad" | undefined;
  /** of an unknown value */
  why?: string | undefined;
}

/** A number with its unit, and the exact value in the title. An unknown value is shown as unknown, never as 0. */
export function Figure({ value, as, tone, why }: FigureProps) {
  if (!isMeasured(value)) return <Unknown why={why} />;
  const quantity = as(value);
  return (
    <span className="figure" data-tone={tone} title={exactNumber(value)} onCopy={copyExact}>
      {quantity.value}
      {quantity.unit !== "" && <span className="unit">{quantity.unit}</span>}
    </span>
  );
}

/** A copy of nothing but the figure has the exact value, in the unit that the service gives. */
function copyExact(event: ClipboardEvent<HTMLElement>): void {
  const figure = event.currentTarget;
  const { anchorNode, focusNode } = window.getSelection() ?? {};
  if (!figure.contains(anchorNode ?? null) || !figure.contains(focusNode ?? null)) return;
  event.clipboardData.setData("text/plain", figure.title.replaceAll(",", ""));
  event.preventDefault();
}

export function Unknown({ why = NOT_MEASURED }: { why?: string | undefined }) {
  return (
    <span className="figure unknown" title={capitalized(why)}>
      <span aria-hidden>–</span>
      <span className="visually-hidden">{why}</span>
    </span>
  );
}
