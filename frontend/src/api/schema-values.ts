/** Generated from openapi.json by `npm run gen`. */

export const METRIC_UNITS = {
  records_per_second: "records/s",
  bytes_per_second: "bytes/s",
  wire_bytes_per_second: "bytes/s",
  lag_offsets: "offsets",
  lag_ms: "ms",
  replication_latency_ms: "ms",
  record_age_ms: "ms",
  checkpoint_latency_ms: "ms",
  heartbeat_age_ms: "ms",
  throttled_ratio: "ratio",
  gaps: "gaps",
  duplicates: "records",
  replication_latency_p95_ms: "ms",
} as const;

/** Where a flow of REST has the value of a live column. */
export const FLOW_ROW_PLACES = {
  source: "source",
  target: "target",
  status: "status",
  reason: "reason",
  cause: "cause",
  since_ms: "since_ms",
  orders_in_force: "orders_in_force",
  service: "service",
  records_per_second: "metrics.records_per_second.latest",
  bytes_per_second: "metrics.bytes_per_second.latest",
  lag_offsets: "metrics.lag_offsets.latest",
  latency_p50_ms: "metrics.replication_latency_ms.p50",
  latency_p95_ms: "metrics.replication_latency_ms.p95",
  latency_p99_ms: "metrics.replication_latency_ms.p99",
  latency_max_ms: "metrics.replication_latency_ms.max",
  topics: "topics",
  partitions: "partitions",
  groups: "groups",
  tasks_running: "tasks.running",
  tasks_total: "tasks.total",
  heartbeat_age_ms: "metrics.heartbeat_age_ms.latest",
} as const;

/** The rule for aliases of clusters. */
export const ALIAS = {
  pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$",
  rule: "begin with a letter or digit; letters, digits, dots, hyphens and underscores may follow",
} as const;

/** The highest throttle. */
export const MOST_BYTES_PER_SECOND = 1000000000000000;
