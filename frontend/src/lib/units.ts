/** How the values of each metric are shown, by the metric's unit. */
import { METRIC_UNITS } from "@/api/schema-values";
import {
  bytesPerSecond,
  formatCount,
  milliseconds,
  percent,
  type Quantity,
  records,
  recordsPerSecond,
} from "@/lib/format";

export type AnyMetric = keyof typeof METRIC_UNITS;
type Unit = (typeof METRIC_UNITS)[AnyMetric];

const BY_UNIT: Record<Unit, (value: number) => Quantity> = {
  "records/s": recordsPerSecond,
  "bytes/s": bytesPerSecond,
  offsets: records,
  records,
  ms: milliseconds,
  ratio: percent,
  gaps: (value) => ({ value: formatCount(value), unit: value === 1 ? "gap" : "gaps" }),
};

export function quantityOf(metric: AnyMetric): (value: number) => Quantity {
  return BY_UNIT[METRIC_UNITS[metric]];
}
