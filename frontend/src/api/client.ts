/** The typed client of /api/v2. Failures become an {@link ApiProblem} or {@link Unreachable}, but for the end of the session. */
import createClient from "openapi-fetch";
import { ApiProblem, type ProblemDocument, Unreachable } from "@/api/problem";
import type { paths } from "@/api/schema";

// Looked up at each call, so that a test can put its own in place.
// Lists also exist as CSV, which the client never asks for.
export const api = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: window.location.origin,
  fetch: (request) => globalThis.fetch(request),
  // Tells the service to answer 401 without asking the browser for its own password dialog.
  headers: { "X-Requested-With": "fetch" },
});

const sessionListeners = new Set<() => void>();

/** Calls back when the service reports that the session has ended. */
export function onSessionEnded(listener: () => void): () => void {
  sessionListeners.add(listener);
  return () => sessionListeners.delete(listener);
}

interface Answer<Data> {
  data?: Data;
  error?: unknown;
  response: Response;
}

export async function unwrap<Data>(request: Promise<Answer<Data>>): Promise<Data> {
  return (await unwrapTagged(request)).data;
}

/** The data with the ETag of its version. */
export async function unwrapTagged<Data>(
  request: Promise<Answer<Data>>,
): Promise<{ data: Data; etag: string | null }> {
  const answer = await answered(request);
  if (answer.data !== undefined) return { data: answer.data, etag: answer.response.headers.get("ETag") };
  throw refusal(answer);
}

/** For requests that are answered without data. */
export async function unwrapDone(request: Promise<Answer<unknown>>): Promise<void> {
  const answer = await answered(request);
  if (!answer.response.ok) throw refusal(answer);
}

async function answered<Data>(request: Promise<Answer<Data>>): Promise<Answer<Data>> {
  const answer = await request.catch((cause: unknown) => {
    throw cause instanceof DOMException && cause.name === "AbortError" ? cause : new Unreachable(cause);
  });
  return answer.response.status === 401 ? afterSession() : answer;
}

/** Never settles: below the dialog that asks to sign in again, which loads the page again, all parts stay as they are. */
function afterSession(): Promise<never> {
  for (const listener of sessionListeners) listener();
  return new Promise(() => undefined);
}

function refusal(answer: Answer<unknown>): ApiProblem {
  return new ApiProblem(answer.response.status, problemDocument(answer.error));
}

function problemDocument(error: unknown): ProblemDocument | undefined {
  return typeof error === "object" && error !== null ? error : undefined;
}

/** The query of a page that begins at a cursor; the first page has none. */
export const cursorOf = (cursor: string | null) => (cursor === null ? {} : { cursor });

/** The last page of a list, with the rows of all pages. */
export async function wholeOf<Page extends { items: unknown[]; next_cursor: string | null }>(
  read: (from: { cursor?: string }) => Promise<Page>,
): Promise<Page> {
  const items: unknown[] = [];
  for (let cursor: string | null = null; ; ) {
    const page: Page = await read(cursorOf(cursor));
    items.push(...page.items);
    cursor = page.next_cursor ?? null;
    if (cursor === null) return { ...page, items };
  }
}

export function csrfToken(): string {
  return /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie)?.[1] ?? "";
}

/** The headers of a request that changes something; with an ETag it is refused if someone else was faster. */
export function changing(etag: string | null = null): Record<string, string> {
  return { "X-CSRFToken": csrfToken(), ...(etag === null ? {} : { "If-Match": etag }) };
}
