/** The title of the browser's tab: how many flows need attention, the page and the product. */

const PRODUCT = "Streams Replication Manager";

const shown = { page: "", unhealthy: 0 };

/** Composes the title. Pure. */
export function titleOf(page: string, unhealthy: number): string {
  const name = page === "" ? PRODUCT : `${page} · ${PRODUCT}`;
  return unhealthy === 0 ? name : `(${unhealthy}) ${name}`;
}

export function setPageTitle(page: string): void {
  shown.page = page;
  document.title = titleOf(shown.page, shown.unhealthy);
}

export function setUnhealthyCount(unhealthy: number): void {
  if (unhealthy === shown.unhealthy) return;
  shown.unhealthy = unhealthy;
  document.title = titleOf(shown.page, shown.unhealthy);
}
