/** All rows of a list of the service, read page by page. */
import { unwrap } from "@/api/client";

const PAGE = "200";
const MOST = "1000"; // of a list without pages

/** A row of a list, or a page of its rows. */
type Fields = Readonly<Record<string, unknown>>;

/** Reads every page of the list at an address of this service; `rows` is the field of an answer that has its rows. */
export async function wholeList(
  address: string,
  rows: string,
  pagedBy: "cursor" | "after" | null = "cursor",
): Promise<Fields[]> {
  const all: Fields[] = [];
  for (let next: string | null = ""; next !== null; ) {
    const page: Fields = await unwrap(readPage(address, pagedBy, next));
    all.push(...(page[rows] as Fields[]));
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
  return response.ok ? { data: body as Fields, response } : { error: body, response };
}
