/** How the values of each metric are shown, by the metric's unit. */
import { METRIC_UNITS } from "@/api/schema-values";
import {
  bytesPerSecond,
  formatCount,
  type Measure,
  milliseconds,
  percent,
  records,
  recordsPerSecond,
} from "@/lib/format";

export type AnyMetric = keyof typeof METRIC_UNITS;
type Unit = (typeof METRIC_UNITS)[AnyMetric];

const BY_UNIT: Record<Unit, Measure> = {
  "records/s": recordsPerSecond,
  "bytes/s": bytesPerSecond,
  offsets: records,
  records,
  ms: milliseconds,
  ratio: percent,
  gaps: (value, highest) => ({
    value: formatCount(value, highest),
    unit: (highest ?? value) === 1 ? "gap" : "gaps",
  }),
};

export function quantityOf(metric: AnyMetric): Measure {
  return BY_UNIT[METRIC_UNITS[metric]];
}
