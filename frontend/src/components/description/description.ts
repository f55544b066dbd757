/** The description of a cluster or a flow, as a form asks for it. Pure. */
import type { Cluster, FlowDescription } from "@/api/types";
import { lineWithoutPair, pairsOf, pairsText } from "@/components/form/lines";
import { inQuotes } from "@/lib/words";

export interface DescriptionForm {
  /** `key=value` a line */
  labels: string;
  owner: string;
  criticality: NonNullable<Cluster["criticality"]>;
  runbook: string;
}

export type DescriptionErrors = Partial<Record<keyof DescriptionForm, string>>;
export type Description = Required<FlowDescription>;

export const EMPTY_DESCRIPTION: DescriptionForm = {
  labels: "",
  owner: "",
  criticality: "normal",
  runbook: "",
};
export const DESCRIPTION_FIELDS = ["labels", "owner", "criticality", "runbook"] as const;

export function descriptionFormOf(
  described: Pick<Cluster, (typeof DESCRIPTION_FIELDS)[number]>,
): DescriptionForm {
  const { labels, owner, criticality, runbook } = described;
  return { labels: pairsText(labels), owner, criticality: criticality ?? "normal", runbook };
}

/** The reasons why the form cannot be sent, by field. */
export function descriptionErrors({ labels, runbook }: DescriptionForm): DescriptionErrors {
  const line = lineWithoutPair(labels);
  return {
    ...(line !== undefined && { labels: `Write one key=value a line: found ${inQuotes(line.trim())}.` }),
    ...(runbook.trim() !== "" && !isPage(runbook.trim()) && { runbook: "Enter an http or https address." }),
  };
}

/** True for an address that a link may open. */
export const isPage = (address: string) => /^https?:\/\/[^\s/]/i.test(address);

export function descriptionOf(form: DescriptionForm): Description {
  return {
    labels: pairsOf(form.labels) ?? {},
    owner: form.owner.trim(),
    criticality: form.criticality,
    runbook: form.runbook.trim(),
  };
}

/** The fields of the form that differ from those that it was opened with. */
export function descriptionChange(form: DescriptionForm, before: DescriptionForm): Partial<Description> {
  const [now, then] = [descriptionOf(form), descriptionOf(before)];
  const changed = DESCRIPTION_FIELDS.filter(
    (field) => JSON.stringify(now[field]) !== JSON.stringify(then[field]),
  );
  return Object.fromEntries(changed.map((field) => [field, now[field]]));
}
