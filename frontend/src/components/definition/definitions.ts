/** Generated from openapi.json by `npm run gen`. */

/** The definition of each metric, as the registry of metrics has it. */
export const DEFINITIONS = {
  records_per_second: "records copied per covered second",
  bytes_per_second: "bytes copied per covered second, as stored in the source",
  wire_bytes_per_second: "bytes copied per covered second, as sent to the target",
  lag_offsets: "source offsets that are not copied yet; unknown while the source is not read",
  lag_ms: "age of the oldest record that arrived; 0 when up to date",
  replication_latency_ms: "from a batch's newest timestamp to the acknowledgement by the target",
  record_age_ms: "from a batch's newest timestamp to its arrival at the driver",
  checkpoint_latency_ms: "from the commit of a consumer group to its checkpoint",
  heartbeat_age_ms: "age of the newest heartbeat that came through the flow",
  throttled_ratio: "share of the time that partitions were held back",
  gaps: "ranges of source offsets that were not copied",
  duplicates: "source offsets that were copied more than once",
  replication_latency_p95_ms: "95 of 100 records took no longer",
} as const;
