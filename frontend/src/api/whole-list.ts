/** All rows of a list of the service, read page by page. */
import { unwrap } from "@/api/client";

const PAGE = "200";
const MOST = "1000"; // of a list without pages

type ListPage = Readonly<Record<string, unknown>>;

/** Reads every page of the list at an address of this service; `rows` is the field of an answer that has its rows. */
export async function wholeList(
  address: string,
  rows: string,
  pagedBy: "cursor" | "after" | null = "cursor",
): Promise<unknown[]> {
  const all: unknown[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: ListPage = await unwrap(readPage(address, pagedBy, next));
    all.push(...(page[rows] as unknown[]));
    next = (page[`next_${pagedBy}`] ?? null) as string | null;
  }
  return all;
}

async function readPage(address: string, pagedBy: string | null, next: string) {
  const url = new URL(address, window.location.origin);
  url.searchParams.set("limit", pagedBy === null ? MOST : PAGE);
  if (pagedBy !== null && next !== "") url.searchParams.set(pagedBy, next);
  const response = await globalThis.fetch(
    new Request(url, { headers: { Accept: "application/json", "X-Requested-With": "fetch" } }),
  );
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? { data: body as ListPage, response } : { error: body, response };
}
