/** The view of the table of flows, which the address holds. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { usePreferences } from "@/api/personal";
import { DEFAULT_SORT } from "@/features/replications/table/columns";

export interface TableView {
  q: string;
  status: string;
  sort: string;
  /** the statistic as the address names it; see statisticIn */
  stat: string | undefined;
  /** the chosen columns; undefined: the usual ones */
  columns: string | undefined;
}

export type ChangeView = (change: Partial<TableView>) => void;

export function useTableView(): [TableView, ChangeView] {
  const search = useSearch({ from: "/replications" });
  const navigate = useNavigate();
  const [{ columns }, prefer] = usePreferences();
  const view: TableView = {
    q: search.q ?? "",
    status: search.status ?? "",
    sort: search.sort ?? DEFAULT_SORT,
    stat: search.stat,
    columns: search.columns ?? (columns.length === 0 ? undefined : columns.join()),
  };
  const change: ChangeView = (wanted) => {
    const next = { ...view, ...wanted };
    // The choice of a person is kept, and the address has it too, so that others see the same columns.
    if ("columns" in wanted) prefer({ columns: wanted.columns?.split(",") ?? [] });
    const query = {
      q: next.q || undefined,
      status: next.status || undefined,
      sort: next.sort === DEFAULT_SORT ? undefined : next.sort,
      stat: next.stat === "now" ? undefined : next.stat,
      columns: "columns" in wanted ? wanted.columns : search.columns,
    };
    void navigate({ to: ".", search: (before: object) => ({ ...before, ...query }), replace: true });
  };
  return [view, change];
}
