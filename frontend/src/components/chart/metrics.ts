/** The metrics a chart can draw: the same quantity in the stored tiles and in the live rows. */
import type { MetricName } from "@/api/queries";
import { bytesPerSecond, joined, milliseconds, type Quantity, records, recordsPerSecond } from "@/lib/format";
import type { RingMetric } from "@/live/rings";

export interface ChartMetric {
  id: "throughput" | "records" | "latency" | "lag";
  label: string;
  /** what exactly is drawn, where the label leaves it open */
  note: string;
  stored: MetricName;
  /** which value of a stored tile means the same as the live value */
  pick: "avg" | "max";
  live: RingMetric;
  quantity: (value: number) => Quantity;
  format: (value: number) => string;
}

function metric(definition: Omit<ChartMetric, "format">): ChartMetric {
  return { ...definition, format: (value) => joined(definition.quantity(value)) };
}

export const THROUGHPUT = metric({
  id: "throughput",
  label: "Throughput",
  note: "bytes copied",
  stored: "bytes_per_second",
  pick: "avg",
  live: "bytes_per_second",
  quantity: bytesPerSecond,
});

export const RECORDS = metric({
  id: "records",
  label: "Records",
  note: "records copied",
  stored: "records_per_second",
  pick: "avg",
  live: "records_per_second",
  quantity: recordsPerSecond,
});

export const LATENCY = metric({
  id: "latency",
  label: "Latency",
  note: "slowest record in 10 s",
  stored: "replication_latency_ms",
  pick: "max",
  live: "latency_max_ms",
  quantity: milliseconds,
});

export const LAG = metric({
  id: "lag",
  label: "Lag",
  note: "records behind the source",
  stored: "lag_offsets",
  pick: "max",
  live: "lag_offsets",
  quantity: records,
});
