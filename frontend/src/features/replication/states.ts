/** States of partitions and tasks, in words and colours. */
import type { Tone } from "@/lib/status";

export const PARTITION_TONES: Readonly<Record<string, Tone>> = {
  replicating: "ok",
  caught_up: "ok",
  starting: "idle",
  paused: "idle",
  throttled: "idle",
  stalled: "warn",
  waiting: "warn",
  failed: "bad",
};

export const TASK_TONES: Readonly<Record<string, Tone>> = {
  running: "ok",
  starting: "idle",
  stopping: "idle",
  paused: "idle",
  unassigned: "warn",
  waiting: "warn",
  failed: "bad",
};

/** `caught_up` is `Caught up`. */
export function wordOf(code: string): string {
  const words = code.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
