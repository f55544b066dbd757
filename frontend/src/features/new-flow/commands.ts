/** The creation of a flow as a command of srm-control and as REST requests, to copy. Pure. */
import type { FlowDefinition } from "@/api/types";
import { RESUME_ORDER, throttleOrder } from "@/features/new-flow/requests";
import { type ByHand, commandOf, flowPath, postOf, postTo, putTo } from "@/lib/by-hand";

const IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy";

/** No command creates a paused flow, which a throttled one is at first. */
export function sameFlow(wanted: FlowDefinition, throttle: number | null): ByHand {
  const flow = { source: wanted.source, target: wanted.target };
  const isPaused = wanted.paused === true || throttle !== null;
  const requests = [postTo("replications", { ...wanted, paused: isPaused })];
  if (throttle !== null) requests.push(putTo(flowPath(flow, "throttle"), throttleOrder(throttle)));
  if (throttle !== null && !wanted.paused) requests.push(postOf(flow, "actions", RESUME_ORDER));
  return { command: isPaused ? null : commandFor(wanted), request: requests.join("\n") };
}

function commandFor(wanted: FlowDefinition): string {
  const set = Object.entries(propertiesOf(wanted)).map(([key, value]) => `${key}=${value}`);
  const label = Object.entries(wanted.labels ?? {}).map(([key, value]) => `${key}=${value}`);
  const { owner, criticality, runbook } = wanted;
  return commandOf(["flows", "create", `${wanted.source}->${wanted.target}`], {
    set,
    label,
    owner,
    criticality,
    runbook,
  });
}

/** What is not the default, by its key. */
function propertiesOf(wanted: FlowDefinition): Record<string, string> {
  const { policy, delivery, start, tasks_max } = wanted;
  const values: Record<string, string | null | undefined> = {
    topics: wanted.topics_allow?.join(","),
    "topics.exclude": wanted.topics_deny?.join(","),
    groups: wanted.groups_allow?.join(","),
    "groups.exclude": wanted.groups_deny?.join(","),
    "replication.policy.class": policy?.kind === "identity" ? IDENTITY : null,
    "replication.policy.separator": policy?.separator === "." ? null : policy?.separator,
    "srm.replication.policy.template": policy?.template,
    "exactly.once.source.support": delivery === "exactly_once" ? "enabled" : null,
    "srm.start": start === "earliest" ? null : start?.toString(),
    "tasks.max": tasks_max?.toString(),
  };
  return Object.fromEntries(Object.entries(values).flatMap(([key, value]) => (value ? [[key, value]] : [])));
}
