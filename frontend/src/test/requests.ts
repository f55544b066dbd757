/** Keeps the requests that the page makes, as they are sent. */
import { vi } from "vitest";

export interface Sent {
  method: string;
  /** below the root of REST, or below the path that the test names */
  path: string;
  /** absent: none */
  query?: string;
  /** the version that the change is based on; absent: none */
  match?: string;
  body: unknown;
}

export interface Kept {
  reads: Sent[];
  changes: Sent[];
}

type Answering = (sent: Sent) => Response | Promise<Response> | undefined;

/** Keeps all requests from now on. The service answers as before, but for what `answer` answers. */
export function keepRequests(answer: Answering = () => undefined, below = ""): Kept {
  const kept: Kept = { reads: [], changes: [] };
  const before = globalThis.fetch;
  vi.stubGlobal("fetch", async (request: Request) => {
    const sent = await sentAs(request, `/api/v2${below}`);
    (sent.method === "GET" ? kept.reads : kept.changes).push(sent);
    return (await answer(sent)) ?? before(request);
  });
  return kept;
}

async function sentAs(request: Request, root: string): Promise<Sent> {
  const { pathname, search } = new URL(request.url);
  const text = await request.clone().text();
  const match = request.headers.get("If-Match");
  return {
    method: request.method,
    path: pathname.replace(root, ""),
    ...(search === "" ? {} : { query: search }),
    ...(match === null ? {} : { match }),
    body: text === "" ? null : JSON.parse(text),
  };
}
