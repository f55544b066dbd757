/** A view of the overview as the query string of its address. Pure. */
import { defaultParseSearch, defaultStringifySearch } from "@tanstack/react-router";
import type { SavedView } from "@/api/types";
import type { FlowsSearch } from "@/app/router";
import { flowColumns } from "@/features/replications/table/columns";
import type { RangeSearch } from "@/lib/range";

/** The parts of the address that a view keeps: filter, order, columns, figures and range. */
const PARTS = ["q", "status", "sort", "stat", "metric", "columns", "from", "to"] as const;
const OF_RANGE: readonly string[] = ["from", "to"];

type Search = FlowsSearch & RangeSearch;

/** What a view keeps of an address; the route checks the values when it opens. */
function partsIn(search: Search): Search {
  const given = PARTS.filter((part) => search[part] !== undefined);
  return Object.fromEntries(given.map((part) => [part, search[part]]));
}

/** The query of a view as it is shown now. Columns are always named, as the usual ones may be others later. */
export function queryOfView(search: Search, columns: string | undefined): string {
  const shown = flowColumns(columns)
    .map(({ id }) => id)
    .filter((id) => id !== "flow");
  return defaultStringifySearch({ ...partsIn(search), columns: shown.join() }).replace(/^\?/, "");
}

/** The search of the address that shows the view. */
export function searchOfView({ query }: Pick<SavedView, "query">): Search {
  return partsIn(defaultParseSearch(`?${query}`) as Search);
}

/** True if the address shows this view. */
export function isShown(view: SavedView, search: Search, columns: string | undefined): boolean {
  const kept = searchOfView(view);
  const own = queryOfView(kept, kept.columns);
  return own === queryOfView(search, columns);
}

/** The search with which the page opens: that of the default view, unless the address says what to show. */
export function openingSearch(views: readonly SavedView[], search: Search): Search | null {
  const usual = views.find(({ is_default }) => is_default);
  const isBare = Object.keys(partsIn(search)).every((part) => OF_RANGE.includes(part));
  if (usual === undefined || !isBare || search.flow !== undefined) return null;
  return { ...searchOfView(usual), ...partsIn(search) };
}
