import { Fragment, type ReactNode } from "react";
import { type Column, DataTable, type DataTableProps } from "@/components/DataTable";
import type { TableView } from "@/components/table/useTableView";
import { classesOf } from "@/lib/classes";

/** A column with its cells. */
export interface CellColumn<Row> extends Column<Row> {
  cell: (row: Row, rows: readonly Row[]) => ReactNode;
  /** true: its cells name their rows; absent: those of the first column do */
  isName?: boolean;
  /** class of its cells */
  cellClass?: string;
  /** the number of rows that a cell covers, given all rows in order; 0: a cell above covers this one */
  span?: (place: number, rows: readonly Row[]) => number;
}

export interface ColumnTableProps<Row>
  extends Pick<
    DataTableProps<Row>,
    "label" | "rows" | "rowId" | "isStacked" | "limit" | "foot" | "className"
  > {
  view: TableView<CellColumn<Row>>;
  /** a row with its cells; absent: nothing but the cells */
  children?: (row: Row, cells: ReactNode) => ReactNode;
}

/** A table that is declared by its columns: a click on a heading sorts, and a menu chooses what is shown. */
export function ColumnTable<Row extends object>({ view, children, ...table }: ColumnTableProps<Row>) {
  const { columns, sort, onSort } = view;
  return (
    <DataTable isStacked {...table} columns={columns} sort={sort} onSort={onSort}>
      {(row, place, rows) => {
        const cells = <Cells columns={columns} place={place} rows={rows} />;
        return <Fragment key={table.rowId(row)}>{children?.(row, cells) ?? <tr>{cells}</tr>}</Fragment>;
      }}
    </DataTable>
  );
}

interface CellsProps<Row> {
  columns: readonly CellColumn<Row>[];
  place: number;
  rows: readonly Row[];
}

/** The cells of the row at a place, one of which names it. */
function Cells<Row>({ columns, place, rows }: CellsProps<Row>) {
  const naming = columns.find(({ isName }) => isName) ?? columns[0];
  return columns.map((column) => (
    <Cell key={column.id} column={column} isName={column === naming} place={place} rows={rows} />
  ));
}

interface CellProps<Row> {
  column: CellColumn<Row>;
  /** true: the cell names its row */
  isName: boolean;
  place: number;
  rows: readonly Row[];
}

function Cell<Row>({ column, isName, place, rows }: CellProps<Row>) {
  const row = rows[place];
  const span = column.span?.(place, rows) ?? 1;
  if (row === undefined || span === 0) return null;
  const classes = classesOf(column.isNumber && "numeric", column.className, column.cellClass);
  if (isName) {
    return (
      <th scope="row" className={classes}>
        {column.cell(row, rows)}
      </th>
    );
  }
  return (
    <td className={classes} rowSpan={span === 1 ? undefined : span}>
      {column.cell(row, rows)}
    </td>
  );
}
