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

/** The lag in time of a flow or a topic, as the registry of metrics defines it. */
export const LAG_TIME = "age of the oldest record that arrived; 0 when up to date";

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
