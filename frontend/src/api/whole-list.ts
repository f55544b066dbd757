/** All rows of a list of the service, read page by page. */
import { unwrap } from "@/api/client";

const PAGE = "200";

type ListPage = Readonly<Record<string, unknown>>;

/** Reads every page of the list at an address of this service; `rows` is the field of an answer that has its rows. */
export async function wholeList(address: string, rows: string): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page: ListPage = await unwrap(readPage(address, cursor));
    all.push(...(page[rows] as unknown[]));
    cursor = (page.next_cursor ?? null) as string | null;
  }
  return all;
}

async function readPage(address: string, cursor: string) {
  const url = new URL(address, window.location.origin);
  url.searchParams.set("limit", PAGE);
  if (cursor !== "") url.searchParams.set("cursor", cursor);
  const response = await globalThis.fetch(
    new Request(url, { headers: { Accept: "application/json", "X-Requested-With": "fetch" } }),
  );
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? { data: body as ListPage, response } : { error: body, response };
}
