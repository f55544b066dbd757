/** What the states of flows, partitions and tasks mean, and terms that are no metric; read on demand. */
import type { FlowStatus, FlowTask, PartitionState } from "@/api/types";
import { NO_LOSS } from "@/lib/format";

export const FLOW_MEANINGS: Readonly<Record<FlowStatus, string>> = {
  failed: "It copies nothing and needs a change before it can continue",
  interrupted: "A cluster or a driver is not available; the flow continues as soon as it is",
  degraded: "It copies, but a part has failed or is too slow; the reason names it",
  unknown: "No driver has reported its state for a while",
  starting: "Its tasks are about to start",
  paused: "An operator has paused or stopped it; positions are kept",
  idle: "No topic of the source is selected, so there is nothing to copy",
  disabled: "It is switched off; at most heartbeats are sent",
  healthy: "All of its tasks are copying, and nothing needs attention",
};

export const PARTITION_MEANINGS: Readonly<Record<PartitionState, string>> = {
  replicating: "Records are being copied",
  caught_up: "Every record of the source is copied",
  paused: "An operator has paused it",
  throttled: "It waits for its throttle or that of its topic or flow, or for a quota of a broker",
  stalled:
    "It waits for something that resolves without help, such as the election of a leader on the target",
  gap: "The source no longer has the next record, and the gap policy of the flow is to stop",
  failed: "A record or a setting blocks it until someone acts",
};

export const TASK_MEANINGS: Readonly<Record<FlowTask["state"], string>> = {
  running: "It is working",
  starting: "A driver is preparing it",
  stopping: "It is ending, and commits the records in flight",
  unassigned: "No driver runs it",
  failed: "It ended with an error, and is restarted after a delay",
};

export const ROLLOUT_MEANINGS: Readonly<Record<string, string>> = {
  "Being published": "The change is stored; its revision has not reached the drivers yet",
  Applying: "Some tasks still use an earlier revision",
  Applied: "Every task that reports uses the desired revision",
  "Rejected in part":
    "A driver rejected a part of the revision; the previous definition of that part stays in force",
  "No task reports": "It is not known what the drivers have applied",
};

export const TERM_MEANINGS = {
  replications: "All flows, by their current status",
  proof:
    "Of all flows, the earliest time up to which audits have proven that source and target hold the same records",
  catch_up: "Time until the flow has copied everything, at the current rates",
  time_to_loss: `Time until retention on the source overtakes the flow; unknown: ${NO_LOSS}`,
  remote_topic: "The copy on the target; the replication policy of the flow names it",
  driver_load: "Share of a core that the source tasks of the driver need, measured",
  brokers: "Brokers that the cluster reports",
  kafka_release: "The oldest release among the bootstrap brokers, by what they support",
  certificate: "Time until the first certificate of the bootstrap brokers expires",
  location: "External: all security settings are required. Co-located: they are optional",
  cluster_id: "The id that Kafka gave the cluster",
  checked: "Time of the last check of this service, which asks the bootstrap brokers",
  criticality: "How much depends on the cluster or flow, as it is described: low, normal, high or critical",
  reachability: "Reachable: a bootstrap broker answered the last check of this service, whose age is shown",
  internal_topics:
    "Topics in which flows keep their own state; the drivers check their cleanup policies, partitions and replicas",
} as const;
