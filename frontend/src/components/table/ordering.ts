/** Columns that the service orders, over the whole list and not only over the rows that are shown. Pure. */
import type { CellColumn } from "@/components/table/ColumnTable";

/** `Ordering` is what the list takes: a field, or one with `-` for the highest first. */
export interface OrderedColumn<Row, Ordering extends string> extends CellColumn<Row> {
  /** the order of the service in which the column ascends; absent: it has none */
  ordering?: Ordering;
}

/** The ids of the columns that the service orders. */
export function orderedIds<Row, Ordering extends string>(
  columns: readonly OrderedColumn<Row, Ordering>[],
): readonly string[] {
  return columns.flatMap(({ id, ordering }) => (ordering === undefined ? [] : [id]));
}

/** The order of the whole list; undefined: the service has none for the column. */
export function orderingOf<Row, Ordering extends string>(
  columns: readonly OrderedColumn<Row, Ordering>[],
  sort: string,
): Ordering | undefined {
  const ordering = columns.find(({ id }) => id === sort.replace(/^-/, ""))?.ordering;
  if (ordering === undefined || !sort.startsWith("-")) return ordering;
  return (ordering.startsWith("-") ? ordering.slice(1) : `-${ordering}`) as Ordering;
}
