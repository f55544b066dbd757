/** What the service refused of a form, as long as the form still says it. Pure. */
import { ApiProblem } from "@/api/problem";

/** The reasons of an answer whose fields still have the values that were sent. */
export function reasonsLeft<Form extends object>(
  error: Error | null,
  sent: Form | undefined,
  form: Form,
  typedIn: (name: string) => readonly (keyof Form)[],
): Record<string, string> {
  if (!(error instanceof ApiProblem) || sent === undefined) return {};
  const isLeft = (name: string) =>
    typedIn(name).every((field) => JSON.stringify(sent[field]) === JSON.stringify(form[field]));
  return Object.fromEntries(Object.entries(error.fields).filter(([name]) => isLeft(name)));
}

/** True for an answer that refuses the form itself: nothing was tried with it. */
export const isInvalid = (error: Error | null) => error instanceof ApiProblem && error.status === 400;

export const hasReasons = (error: Error | null) =>
  error instanceof ApiProblem && Object.keys(error.fields).length > 0;
