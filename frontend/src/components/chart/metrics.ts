/** The metrics a chart can draw: the same quantity in the stored tiles and in the live rows. */
import type { ListedFlow, ManyMetricName } from "@/api/types";
import type { Measure } from "@/lib/format";
import { quantityOf } from "@/lib/units";
import type { RingMetric } from "@/live/rings";

export interface ChartMetric {
  id: "throughput" | "records" | "latency" | "lag";
  label: string;
  /** a more precise description than the label */
  note: string;
  stored: ManyMetricName & keyof ListedFlow["metrics"];
  /** the value of a stored tile that corresponds to the live value */
  pick: "avg" | "max" | "p95";
  live: RingMetric;
  quantity: Measure;
  /** values of very different sizes can be read together */
  canBeLogarithmic?: boolean;
}

function metric(definition: Omit<ChartMetric, "quantity">): ChartMetric {
  return { ...definition, quantity: quantityOf(definition.stored) };
}

export const THROUGHPUT = metric({
  id: "throughput",
  label: "Throughput",
  note: "bytes copied",
  stored: "bytes_per_second",
  pick: "avg",
  live: "bytes_per_second",
});

export const RECORDS = metric({
  id: "records",
  label: "Records",
  note: "records copied",
  stored: "records_per_second",
  pick: "avg",
  live: "records_per_second",
});

export const LATENCY = metric({
  id: "latency",
  label: "Latency p95",
  note: "95% of the records of each step took no longer",
  stored: "replication_latency_ms",
  pick: "p95",
  live: "latency_p95_ms",
  canBeLogarithmic: true,
});

export const LAG = metric({
  id: "lag",
  label: "Lag",
  note: "records behind the source",
  stored: "lag_offsets",
  pick: "max",
  live: "lag_offsets",
});
