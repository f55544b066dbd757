/** What the service refuses of a new flow, with the field of the form that has it. Pure. */
import { ApiProblem } from "@/api/problem";
import type { FlowErrors, FlowForm } from "@/features/new-flow/flow-form";

export interface Refusal {
  /** null: it belongs to no field */
  field: keyof FlowForm | null;
  text: string;
}
export type FieldNames = Readonly<Record<string, keyof FlowForm>>;

const POLICY: FieldNames = {
  policy: "policy",
  "policy.separator": "separator",
  "policy.template": "template",
};

/** Fields of the request that creates a flow. */
const FLOW_FIELDS: FieldNames = {
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
  comment: "comment",
};
export const TOPIC_FIELDS: FieldNames = { ...POLICY, allow: "topicsAllow", deny: "topicsDeny" };
export const GROUP_FIELDS: FieldNames = {
  ...POLICY,
  allow: "groupsAllow",
  deny: "groupsDeny",
  topics_allow: "topicsAllow",
  topics_deny: "topicsDeny",
};

/** Keys in findings about the configuration with the flow. */
const KEYS: FieldNames = {
  topics: "topicsAllow",
  "topics.exclude": "topicsDeny",
  groups: "groupsAllow",
  "groups.exclude": "groupsDeny",
  "replication.policy.separator": "separator",
  "srm.replication.policy.template": "template",
  "exactly.once.source.support": "delivery",
  "srm.start": "start",
  "tasks.max": "tasks",
};

/** The reasons of a refusal; none if the service failed to answer, which a retry may mend. */
export function refusalsOf(error: Error | null, fields: FieldNames = FLOW_FIELDS): readonly Refusal[] {
  if (!(error instanceof ApiProblem) || (error.status !== 400 && error.status !== 422)) return [];
  const ofFields = Object.entries(error.fields).map(([name, text]) => {
    const field = fieldOf(name.replace(/^flow\./, ""), fields);
    return { field, text: field === null && name !== "" ? `${name}: ${text}` : text };
  });
  const ofKeys = error.findings
    .filter(({ severity }) => severity === "error")
    .map(({ key, message }) => {
      const name = Object.keys(KEYS).find((each) => key === each || key.endsWith(`.${each}`));
      return { field: (name && KEYS[name]) || null, text: `${key}: ${message}` };
    });
  const found = [...ofFields, ...ofKeys];
  return found.length > 0 ? found : [{ field: null, text: error.message }];
}

/** The longest name that is the field or a part around it, such as `policy` for `policy.kind`. */
function fieldOf(name: string, fields: FieldNames): keyof FlowForm | null {
  const [longest] = Object.keys(fields)
    .filter((each) => name === each || name.startsWith(`${each}.`))
    .sort((a, b) => b.length - a.length);
  return (longest !== undefined && fields[longest]) || null;
}

export function refusalsIn(errors: FlowErrors): readonly Refusal[] {
  return Object.entries(errors).map(([field, text]) => ({ field: field as keyof FlowForm, text }));
}

export function errorsOf(refusals: readonly Refusal[]): FlowErrors {
  const errors: FlowErrors = {};
  for (const { field, text } of refusals) {
    if (field !== null) errors[field] = errors[field] === undefined ? text : `${errors[field]}; ${text}`;
  }
  return errors;
}
