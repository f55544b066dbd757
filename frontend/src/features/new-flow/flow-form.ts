/** What the wizard of a new flow asks for, and the request that it makes. */

import type { FlowAddress } from "@/api/queries";
import type { Cluster, Delivery, FlowDefinition, PolicyKind } from "@/api/types";
import {
  DESCRIPTION_FIELDS,
  type DescriptionForm,
  descriptionChange,
  descriptionErrors,
  EMPTY_DESCRIPTION,
} from "@/components/description/description";
import { linesOf } from "@/components/form/lines";
import type { Patterns } from "@/components/preview/patterns";
import { namingErrors } from "@/features/new-flow/naming";
import { timeOfField } from "@/lib/time";

export interface FlowForm extends Patterns, DescriptionForm {
  policy: PolicyKind;
  separator: string;
  template: string;
  delivery: Delivery;
  start: "earliest" | "latest" | "time";
  startTime: string;
  tasks: string;
  /** MB per second; empty: none */
  throttle: string;
  begin: "running" | "paused";
  comment: string;
}

export const EMPTY_FLOW: FlowForm = {
  source: "",
  target: "",
  topicsAllow: "",
  topicsDeny: "",
  groupsAllow: "",
  groupsDeny: "",
  policy: "default",
  separator: ".",
  template: "{source}.{topic}",
  delivery: "at_least_once",
  start: "earliest",
  startTime: "",
  tasks: "",
  throttle: "",
  begin: "running",
  ...EMPTY_DESCRIPTION,
  comment: "",
};

export const STEPS = ["Clusters", "Topics", "Groups", "Delivery", "Review"] as const;
const STEP_FIELDS: readonly (readonly (keyof FlowForm)[])[] = [
  ["source", "target"],
  ["topicsAllow", "topicsDeny", "policy", "separator", "template"],
  ["groupsAllow", "groupsDeny"],
  ["delivery", "start", "startTime", "tasks", "throttle"],
  ["begin", ...DESCRIPTION_FIELDS, "comment"],
];
export type FlowErrors = Partial<Record<keyof FlowForm, string>>;

const MEGABYTE = 1_000_000;

/** The reasons why a step cannot be left, by field. */
export function stepErrors(step: number, form: FlowForm, flows: readonly FlowAddress[] = []): FlowErrors {
  if (step === 0) return clusterErrors(form, flows);
  if (step === 1) {
    return {
      ...(linesOf(form.topicsAllow).length === 0 && { topicsAllow: "Enter at least one name or pattern." }),
      ...namingErrors(form),
    };
  }
  if (step === 3) {
    return {
      ...(form.start === "time" && timeOfField(form.startTime) === null && { startTime: "Enter a time." }),
      ...(!isCount(form.tasks) && { tasks: "Enter a whole number of 1 or more, or leave it empty." }),
      ...(!isRate(form.throttle) && { throttle: "Enter a number above 0, or leave it empty." }),
    };
  }
  return step === STEPS.length - 1 ? descriptionErrors(form) : {};
}

function clusterErrors({ source, target }: FlowForm, flows: readonly FlowAddress[]): FlowErrors {
  return {
    ...(isAmong(flows, { source, target }) && { target: "This flow exists already." }),
    ...(source === "" && { source: "Choose the cluster to read from." }),
    ...(target === "" && { target: "Choose the cluster to write to." }),
    ...(source !== "" && source === target && { target: "A flow needs two clusters." }),
  };
}

export const isAmong = (flows: readonly FlowAddress[], { source, target }: FlowAddress) =>
  flows.some((flow) => flow.source === source && flow.target === target);

const isCount = (text: string) => text.trim() === "" || /^[1-9]\d{0,3}$/.test(text.trim());
const isRate = (text: string) => text.trim() === "" || Number(text) > 0;

/** The fields that a step asks for. */
export const fieldsOf = (step: number) => STEP_FIELDS[step] ?? [];

/** The step that asks for a field. */
export const stepOf = (field: keyof FlowForm) => STEP_FIELDS.findIndex((fields) => fields.includes(field));

/** The first step that is not complete; the last one if all are. */
export function firstOpenStep(form: FlowForm, flows: readonly FlowAddress[] = []): number {
  const found = STEPS.findIndex((_, step) => Object.keys(stepErrors(step, form, flows)).length > 0);
  return found === -1 ? STEPS.length - 1 : found;
}

export function policyOf(form: FlowForm): NonNullable<FlowDefinition["policy"]> {
  if (form.policy === "template") return { kind: "template", template: form.template };
  return form.policy === "default" ? { kind: "default", separator: form.separator } : { kind: "identity" };
}

export function throttleOf(form: FlowForm): number | null {
  return form.throttle.trim() === "" ? null : Math.round(Number(form.throttle) * MEGABYTE);
}

/** The start point; a time is in the zone of the page. */
function startOf({ start, startTime }: FlowForm): NonNullable<FlowDefinition["start"]> {
  if (start !== "time") return start;
  const start_ms = timeOfField(startTime);
  if (start_ms === null) throw new Error("Enter the start time.");
  return start_ms;
}

export function definitionOf(form: FlowForm): FlowDefinition {
  return {
    source: form.source,
    target: form.target,
    topics_allow: linesOf(form.topicsAllow),
    topics_deny: linesOf(form.topicsDeny),
    groups_allow: linesOf(form.groupsAllow),
    groups_deny: linesOf(form.groupsDeny),
    policy: policyOf(form),
    delivery: form.delivery,
    start: startOf(form),
    ...(form.tasks.trim() !== "" && { tasks_max: Number(form.tasks) }),
    ...descriptionChange(form, EMPTY_DESCRIPTION),
    paused: form.begin === "paused",
    comment: form.comment.trim(),
  };
}

/** How long the first copy takes at a rate; null without an estimate of the bytes. */
export function copyTime_ms(bytes: number | null | undefined, bytes_per_second: number): number | null {
  return bytes == null ? null : (bytes / bytes_per_second) * 1000;
}

/** Unreachable clusters can be chosen: the plan then names what it could not inspect. */
export function clusterLabel({ alias, reachable }: Cluster): string {
  return reachable === false ? `${alias} (unreachable)` : alias;
}
