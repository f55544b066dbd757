/** A failed request as the page reports it: what failed, and the id that finds it in the service's log. */
import type { components } from "@/api/schema";

export type ProblemDocument = Partial<components["schemas"]["Problem"]>;
export type StateDifference = NonNullable<ProblemDocument["diff"]>[number];
export type Finding = NonNullable<ProblemDocument["findings"]>[number];

export class ApiProblem extends Error {
  readonly status: number;
  readonly requestId: string | null;
  /** the reason of each invalid field, by its name */
  readonly fields: Readonly<Record<string, string>>;
  /** the changes since the version that the request knows (412) */
  readonly diff: readonly StateDifference[];
  /** every error of a configuration (422) */
  readonly findings: readonly Finding[];

  constructor(status: number, document: ProblemDocument | undefined) {
    super(document?.detail || document?.title || `The service answered ${status}.`);
    this.name = "ApiProblem";
    this.status = status;
    this.requestId = document?.request_id ?? null;
    this.fields = reasonsOf(document?.errors ?? []);
    this.diff = document?.diff ?? [];
    this.findings = document?.findings ?? [];
  }
}

/** A field can have more than one reason. */
function reasonsOf(errors: NonNullable<ProblemDocument["errors"]>): Record<string, string> {
  const reasons: Record<string, string> = {};
  for (const { field, detail } of errors) {
    reasons[field] = reasons[field] === undefined ? detail : `${reasons[field]}; ${detail}`;
  }
  return reasons;
}

/** True for a refusal because the state has changed since it was read. */
export const isOvertaken = (error: unknown) => error instanceof ApiProblem && error.status === 412;

/** The reason of a failure in words for people; the text of any other error is for programmers. */
export function reasonOf(error: unknown): string {
  if (isOvertaken(error))
    return "Someone else has changed this since you opened it. Check what has changed, then try again.";
  const isTold = error instanceof ApiProblem || error instanceof Unreachable;
  return isTold ? error.message : "The page could not use the answer of the service. Reload the page.";
}

/** The service did not respond. */
export class Unreachable extends Error {
  constructor(cause: unknown) {
    super("The service does not answer. The page keeps trying.", { cause });
    this.name = "Unreachable";
  }
}
