/** Partitions, tasks and events of a made-up flow. */
import type { FlowEvent, FlowTask, TopicPartition } from "../src/api/types.ts";
import { type FakeFlow, rowOf } from "./fleet.ts";

export function partitionsOf(flow: FakeFlow, time_ms: number): TopicPartition[] {
  const row = rowOf(flow, time_ms);
  return Array.from({ length: 12 }, (_, partition) => {
    const source_end = 48_120_334 + partition * 7_919;
    const isStalled = flow.status === "degraded" && partition === 3;
    const lag_offsets = isStalled ? 148_201 : Math.round((row.lag_offsets ?? 0) / 40);
    return {
      partition,
      remote_topic: `${flow.source}.orders`,
      state: isStalled ? "failed" : "replicating",
      cause: isStalled ? "record_too_large" : null,
      slot: partition % 4,
      driver: `driver-${(partition % 2) + 1}`,
      source_start: source_end - 9_000_000,
      copied_to: source_end - lag_offsets,
      source_end,
      target_end: source_end - lag_offsets + 12_004,
      lag_offsets,
      lag_ms: isStalled ? 900_000 : 240,
      last_record_ms: time_ms - (isStalled ? 900_000 : 240),
      records_per_second: isStalled ? 0 : (row.records_per_second ?? 0) / 40,
      bytes_per_second: isStalled ? 0 : (row.bytes_per_second ?? 0) / 40,
      updated_ms: time_ms,
    };
  });
}

export function tasksOf(flow: FakeFlow | undefined, time_ms: number): FlowTask[] {
  if (flow === undefined) return [];
  const [running, total] = flow.tasks;
  return Array.from({ length: total }, (_, slot) => {
    const isFailed = slot >= running;
    const error = {
      code: "record_too_large",
      text: "The target refuses a record of orders, partition 3: it is too large.",
      topic: "orders",
      partition: 3,
      since_ms: time_ms - 900_000,
    };
    return {
      task: `${flow.source}/source/${slot}`,
      kind: "source",
      source: flow.source,
      target: flow.target,
      driver: `driver-${(slot % 2) + 1}`,
      role: "data",
      boot: "b1",
      state: isFailed ? "failed" : "running",
      since_ms: isFailed ? error.since_ms : time_ms - 7_400_000,
      generation: 4,
      moved:
        slot === 1
          ? {
              at_ms: time_ms - 5_400_000,
              reason: "driver_gone",
              text: "The previous driver stopped or was lost.",
              from_driver: "driver-3",
            }
          : null,
      cause: isFailed ? error : null,
      last_error: isFailed ? error : null,
      frozen_ms: 0,
      live_age_ms: 400,
      applied_revision: 7,
      partitions: 24,
      records_per_second: isFailed ? 0 : 900,
      bytes_per_second: isFailed ? 0 : ((flow.megabytes_per_second ?? 0) * 1e6) / Math.max(1, total),
      lag_offsets: 120,
    } satisfies FlowTask;
  });
}

export function eventsOf(flow: FakeFlow | undefined, topic: string | null, time_ms: number): FlowEvent[] {
  if (flow === undefined) return [];
  const common = {
    source: flow.source,
    target: flow.target,
    task: `${flow.source}/source/0`,
    driver: "driver-1",
  };
  const events: FlowEvent[] = [
    {
      ...common,
      id: 3,
      time_ms: time_ms - 60_000,
      scope: "partition",
      topic: "orders",
      partition: 3,
      from_state: "replicating",
      to_state: "failed",
      cause: "record_too_large",
      text: "Offset 48,120,112: the record has 1.2 MB.",
    },
    {
      ...common,
      id: 2,
      time_ms: time_ms - 7_400_000,
      scope: "slot",
      topic: null,
      partition: null,
      from_state: "starting",
      to_state: "running",
      cause: null,
      text: null,
    },
    {
      ...common,
      id: 1,
      time_ms: time_ms - 200_000_000,
      scope: "record",
      topic: "clicks.raw",
      partition: 0,
      from_state: null,
      to_state: "skip",
      cause: "record_refused",
      text: "offset 7",
    },
  ];
  return topic === null ? events : events.filter((event) => event.topic === topic);
}
