/** States of partitions and tasks, in words and colours. */
import type { FlowTask, PartitionState } from "@/api/types";
import type { Tone } from "@/lib/status";

/** A partition with a gap degrades its flow, as a stalled or failed one does. */
export const PARTITION_TONES: Readonly<Record<PartitionState, Tone>> = {
  replicating: "ok",
  caught_up: "ok",
  paused: "idle",
  throttled: "idle",
  stalled: "warn",
  gap: "bad",
  failed: "bad",
};

export const TASK_TONES: Readonly<Record<FlowTask["state"], Tone>> = {
  running: "ok",
  starting: "idle",
  stopping: "idle",
  unassigned: "warn",
  failed: "bad",
};
