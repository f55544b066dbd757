/** A flow of REST in the shape of the live topic, so that the page has one kind of row. */
import type { Flow, FlowRow } from "@/api/types";
import { flowKey } from "@/live/flow-row";

export function flowRowOf(flow: Flow, as_of_ms: number): FlowRow {
  const { metrics } = flow;
  return {
    key: flowKey(flow.source, flow.target),
    source: flow.source,
    target: flow.target,
    status: flow.status,
    reason: flow.reason,
    cause: flow.cause,
    since_ms: flow.since_ms,
    records_per_second: metrics.records_per_second.latest,
    bytes_per_second: metrics.bytes_per_second.latest,
    lag_offsets: metrics.lag_offsets.latest,
    latency_p50_ms: metrics.replication_latency_ms.p50,
    latency_p95_ms: metrics.replication_latency_ms.p95,
    latency_max_ms: metrics.replication_latency_ms.max,
    topics: flow.topics,
    partitions: flow.partitions,
    tasks_running: flow.tasks.running,
    tasks_total: flow.tasks.total,
    heartbeat_age_ms: metrics.heartbeat_age_ms.latest,
    updated_ms: as_of_ms,
  };
}
