/** All rows of a list of the service, read page by page. */
import { unwrap } from "@/api/client";

const PAGE = 200;

/** A row of a list, or a page of its rows. */
type Fields = Readonly<Record<string, unknown>>;

export interface Paging {
  /** the parameter of the next page; null: the list is one answer */
  pagedBy: "cursor" | "after" | null;
  /** rows of an answer; null: the list takes no limit */
  limit: number | null;
}

export const BY_CURSOR: Paging = { pagedBy: "cursor", limit: PAGE };

/** Reads every page of the list at an address of this service; `rows` is the field of an answer that has its rows. */
export async function wholeList(
  address: string,
  rows: string,
  paging: Paging = BY_CURSOR,
): Promise<Fields[]> {
  const all: Fields[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: Fields = await unwrap(readPage(address, paging, next));
    all.push(...(page[rows] as Fields[]));
    next = (page[`next_${paging.pagedBy}`] ?? null) as string | null;
  }
  return all;
}

async function readPage(address: string, { pagedBy, limit }: Paging, next: string) {
  const url = new URL(address, window.location.origin);
  if (limit !== null) url.searchParams.set("limit", String(limit));
  if (pagedBy !== null && next !== "") url.searchParams.set(pagedBy, next);
  const response = await globalThis.fetch(
    new Request(url, { headers: { Accept: "application/json", "X-Requested-With": "fetch" } }),
  );
  const body: unknown = await response.json().catch(() => undefined);
  return response.ok ? { data: body as Fields, response } : { error: body, response };
}
