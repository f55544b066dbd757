import { Figure } from "@/components/Figure";
import { isMeasured, type Measured, milliseconds } from "@/lib/format";

/** Both in one line: where they have the same unit, only the second one says it. */
export function Latencies({ p50_ms, p95_ms }: { p50_ms: Measured; p95_ms: Measured }) {
  if (!isMeasured(p50_ms) && !isMeasured(p95_ms)) return <Figure value={p95_ms} as={milliseconds} />;
  const isSameUnit =
    isMeasured(p50_ms) && isMeasured(p95_ms) && milliseconds(p50_ms).unit === milliseconds(p95_ms).unit;
  const first = isSameUnit
    ? (value: number) => ({ value: milliseconds(value).value, unit: "" })
    : milliseconds;
  return (
    <span className="nowrap">
      <Figure value={p50_ms} as={first} /> <Figure value={p95_ms} as={milliseconds} />
    </span>
  );
}
