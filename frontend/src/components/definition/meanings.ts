/** What the states of flows, partitions and tasks mean, and terms that are no metric; read on demand. */
import type { FlowStatus, FlowTask, PartitionState } from "@/api/types";

export const FLOW_MEANINGS: Readonly<Record<FlowStatus, string>> = {
  failed: "It copies nothing, and does not continue without a change",
  interrupted: "A cluster or a driver is missing; it continues when that is back",
  degraded: "It copies, but a part of it does not, or is too slow: the reason names it",
  unknown: "No driver has reported its state for a while",
  starting: "Its tasks are about to start",
  paused: "An operator has paused or stopped it; positions are kept",
  idle: "No topic of the source is selected, so there is nothing to copy",
  disabled: "It is switched off; at most heartbeats are sent",
  healthy: "All of its tasks copy, and nothing asks for attention",
};

export const PARTITION_MEANINGS: Readonly<Record<PartitionState, string>> = {
  replicating: "Records are being copied",
  caught_up: "Every record of the source is copied",
  paused: "An operator has paused it",
  throttled: "It waits for its throttle or that of its topic or flow, or for a quota of a broker",
  stalled: "It waits for something that ends by itself, such as a leader of the target",
  gap: "The source no longer has the next record, and the policy of the flow is to stop",
  failed: "A record or a setting stops it until somebody acts",
};

export const TASK_MEANINGS: Readonly<Record<FlowTask["state"], string>> = {
  running: "It does its part of the flow's work",
  starting: "A driver has it and prepares",
  stopping: "It ends, and commits what is on its way",
  unassigned: "No driver has it",
  failed: "It has ended with an error, and is started again after a while",
};

export const ROLLOUT_MEANINGS: Readonly<Record<string, string>> = {
  "Being published": "The change is stored, and its revision is not at the drivers yet",
  Applying: "Some tasks still work by an earlier revision",
  Applied: "Every task that reports works by the desired revision",
  "Rejected in part":
    "A driver cannot use a part of the revision; the former definition of that part stays in force",
  "No task reports": "It is not known what the drivers have applied",
};

export const TERM_MEANINGS = {
  replications: "The flows that are defined, by their status now",
  proof:
    "The oldest of the times until which audits have shown that both sides of a flow hold the same records",
  catch_up: "Time until the flow has copied everything, at the present rates",
  driver_load: "Share of a core that the source tasks of the driver need, measured",
} as const;
