/** What the service refuses of a new flow, with the field of the form that has it. Pure. */
import { PATTERN_KEYS } from "@/components/preview/patterns";
import { type FieldNames, type Refusal, refusalsOf } from "@/components/preview/refusal";
import type { Naming } from "@/components/preview/usePreview";
import { type FlowErrors, type FlowForm, policyOf } from "@/features/new-flow/flow-form";
import { namingErrors } from "@/features/new-flow/naming";

export type FlowRefusal = Refusal<keyof FlowForm>;
type Names = FieldNames<keyof FlowForm>;

const POLICY: Names = {
  policy: "policy",
  "policy.separator": "separator",
  "policy.template": "template",
};

/** Fields of the request that creates a flow. */
const FLOW_FIELDS: Names = {
  ...POLICY,
  source: "source",
  target: "target",
  topics_allow: "topicsAllow",
  topics_deny: "topicsDeny",
  groups_allow: "groupsAllow",
  groups_deny: "groupsDeny",
  delivery: "delivery",
  start: "start",
  tasks_max: "tasks",
  labels: "labels",
  owner: "owner",
  criticality: "criticality",
  runbook: "runbook",
  comment: "comment",
};

/** Keys in findings about the configuration with the flow. */
const KEYS: Names = {
  ...PATTERN_KEYS,
  "replication.policy.separator": "separator",
  "srm.replication.policy.template": "template",
  "exactly.once.source.support": "delivery",
  "srm.start": "start",
  "tasks.max": "tasks",
};

/** What a plan of the flow refuses. */
export const flowRefusals = (error: Error | null) => refusalsOf(error, FLOW_FIELDS, KEYS);

/** The naming that previews of patterns take from the form. */
export const NAMING: Naming<FlowForm, keyof FlowForm> = {
  policyOf,
  refusalsOf: (form) => refusalsIn(namingErrors(form)),
  fields: POLICY,
  keys: KEYS,
};

function refusalsIn(errors: FlowErrors): readonly FlowRefusal[] {
  return Object.entries(errors).map(([field, text]) => ({ field: field as keyof FlowForm, text }));
}
