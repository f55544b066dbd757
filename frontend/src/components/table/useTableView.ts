import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { type Choosable, choiceOf, columnsOf } from "@/components/table/columns/column-choice";
import { readStored, writeStored } from "@/lib/stored/stored";

export interface TableView<Of extends Choosable> {
  /** names the rows: "drivers" */
  what: string;
  /** the start of its names in the address */
  name: string;
  all: readonly Of[];
  /** the columns that are shown */
  columns: readonly Of[];
  /** true while no other columns are chosen */
  isUsual: boolean;
  /** undefined: the usual columns */
  onChoose: (ids: readonly string[] | undefined) => void;
  sort: string;
  onSort: (sort: string) => void;
}

const textOf = (value: unknown) => (typeof value === "string" && value !== "" ? value : undefined);

/**
 * The order and the columns of a table beside others. The address holds both as `NAME_sort` and `NAME_columns`;
 * this browser keeps the columns.
 */
export function useTableView<Of extends Choosable>(
  what: string,
  all: readonly Of[],
  usualSort: string,
  name = what,
): TableView<Of> {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const stored = `srm.columns.${name}`;
  const [kept, keep] = useState(() => textOf(readStored(stored)));
  const chosen = textOf(search[`${name}_columns`]) ?? kept;
  const columns = useMemo(() => columnsOf(all, chosen), [all, chosen]);
  const change = (key: string, value: string | undefined) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, [`${name}_${key}`]: value }),
      replace: true,
      resetScroll: false,
    });
  return {
    what,
    name,
    all,
    columns,
    isUsual: chosen === undefined,
    onChoose: (ids) => {
      const choice = ids === undefined ? undefined : choiceOf(all, ids);
      writeStored(stored, choice);
      keep(choice);
      change("columns", choice);
    },
    sort: textOf(search[`${name}_sort`]) ?? usualSort,
    onSort: (sort) => change("sort", sort === usualSort ? undefined : sort),
  };
}
