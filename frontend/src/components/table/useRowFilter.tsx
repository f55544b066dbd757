import type { ReactNode } from "react";
import type { Column } from "@/components/DataTable";
import { ListFilter, NoMatch } from "@/components/ListFilter";
import { useAddressState } from "@/components/table/useAddressState";
import type { TableView } from "@/components/table/useTableView";

/** A table with fewer rows is read faster than filtered. */
const MANY_ROWS = 20;

interface FilteredRows<Row> {
  rows: readonly Row[];
  /** the field; null: there are few rows */
  field: ReactNode;
  /** shown instead of the table when no row matches */
  none: ReactNode;
}

/** The rows of a table with a text in one of their cells; all rows are here. The address holds it as `NAME_q`. */
export function useRowFilter<Row>(
  { what, name, all }: TableView<Column<Row>>,
  rows: readonly Row[],
): FilteredRows<Row> {
  const [typed, setTyped] = useAddressState(`${name}_q`, "");
  const wanted = typed.trim().toLowerCase();
  const matching =
    wanted === ""
      ? rows
      : rows.filter((row) =>
          all.some(({ value }) =>
            String(value(row) ?? "")
              .toLowerCase()
              .includes(wanted),
          ),
        );
  const isOffered = rows.length > MANY_ROWS || typed !== "";
  return {
    rows: matching,
    field: isOffered ? (
      <ListFilter label={`Filter the ${what}`} value={typed} onChange={(text) => setTyped(text ?? "")} />
    ) : null,
    none:
      rows.length > 0 && matching.length === 0 ? (
        <NoMatch title={`No row of the ${what} matches the filter`} onClear={() => setTyped("")} />
      ) : null,
  };
}
