import { NativeSelect } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import { type ReactNode, useMemo } from "react";
import { stackedLabels } from "@/components/table/stacked";
import { useFirstRows } from "@/components/table/useFirstRows";
import { useFits } from "@/components/table/useFits";
import { classesOf } from "@/lib/classes";
import { orderedBy, type SortValue } from "@/lib/order";
import { firstOnTop } from "@/lib/pins";

export interface Column<Row> {
  id: string;
  label: string;
  /** the sort key of a cell; unknown values come last in both directions */
  value: (row: Row) => SortValue;
  isNumber?: boolean;
  /** explains the heading where one word is not enough */
  hint?: string;
  /** beside the heading */
  note?: ReactNode;
  /** class of its heading */
  className?: string;
  /** shown only when it is chosen */
  isExtra?: boolean;
  /** shown in every choice of columns */
  isAlways?: boolean;
  /** true: the rows cannot be sorted by it, as not all of them are here */
  isFixed?: boolean;
}

export interface DataTableProps<Row> {
  /** names the table and its scrolling region */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** `lag` or `-lag` for the highest first; empty: as the rows are given */
  sort: string;
  onSort: (sort: string) => void;
  /** on a phone each row is a list of its cells instead of a line that is too wide */
  isStacked?: boolean;
  /** the most rows to render */
  limit?: number;
  /** rows that come before all others, in any order of the table */
  isFirst?: (row: Row) => boolean;
  /** heading cells before and after those of the columns */
  before?: ReactNode;
  after?: ReactNode;
  /** rows below all others */
  foot?: ReactNode;
  /** class of the table */
  className?: string;
  /** the cells of a row, in the order of the columns, with its place among the rows that are shown */
  children: (row: Row, place: number, rows: readonly Row[]) => ReactNode;
}

/** The rows in the order of a sort; one by an unknown column leaves them as they are. */
function sortedRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  sort: string,
): readonly Row[] {
  const column = columns.find(({ id }) => id === sort.replace(/^-/, ""));
  return column === undefined ? rows : orderedBy(rows, column.value, sort.startsWith("-"));
}

export function DataTable<Row extends object>(props: DataTableProps<Row>) {
  const { columns, rows, sort, label, limit = rows.length, isFirst, isStacked = false, className } = props;
  const sorted = useMemo(() => sortedRows(rows, columns, sort), [rows, columns, sort]);
  const ordered = isFirst === undefined ? sorted : firstOnTop(sorted, isFirst);
  const { ref, fits } = useFits<HTMLElement>();
  const { first, sortBy: onSort } = useFirstRows(ref, sort, props.onSort);
  const shown = Math.min(limit, ordered.length);
  const drawn = Math.min(shown, first?.count ?? shown);
  const labels = isStacked ? stackedLabels(columns.map((column) => column.label)) : undefined;
  return (
    <section
      ref={ref}
      className="table-scroll"
      data-fits={fits || undefined}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={labels}
    >
      {isStacked && rows.length > 1 && <StackedSort columns={columns} sort={sort} onSort={onSort} />}
      <table className={classesOf("table", isStacked && "stacked", className)}>
        <thead>
          <tr>
            {props.before}
            {columns.map((column) => (
              <HeaderCell key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
            {props.after}
          </tr>
        </thead>
        <tbody>
          {ordered.slice(0, shown).map((row, place, all) => place < drawn && props.children(row, place, all))}
        </tbody>
        {first !== null && drawn < shown && <RowsToCome height={(shown - drawn) * first.height} />}
        {props.foot}
      </table>
    </section>
  );
}

/** The place of rows that are drawn in a moment, so that the page keeps its height. */
function RowsToCome({ height }: { height: number }) {
  return (
    <tbody aria-hidden>
      <tr>
        <td style={{ height }} />
      </tr>
    </tbody>
  );
}

/** What the headings do where a phone shows none. */
function StackedSort<Row>({
  columns,
  sort,
  onSort,
}: Pick<DataTableProps<Row>, "columns" | "sort" | "onSort">) {
  const sortable = columns.filter(({ isFixed }) => !isFixed);
  if (sortable.length === 0) return null;
  return (
    <div className="stacked-sort">
      <NativeSelect
        size="xs"
        aria-label="Order of the rows"
        data={[
          ...(sort === "" ? [{ value: "", label: "Usual order" }] : []),
          ...sortable.flatMap(({ id, label }) => [
            { value: id, label: `${label}, ascending` },
            { value: `-${id}`, label: `${label}, descending` },
          ]),
        ]}
        value={sort}
        onChange={(event) => onSort(event.currentTarget.value)}
      />
    </div>
  );
}

interface HeaderCellProps<Row> {
  column: Column<Row>;
  sort: string;
  onSort: (sort: string) => void;
}

const DIRECTIONS = {
  none: { aria: "none", icon: IconArrowsSort },
  up: { aria: "ascending", icon: IconArrowUp },
  down: { aria: "descending", icon: IconArrowDown },
} as const;

function HeaderCell<Row>({ column, sort, onSort }: HeaderCellProps<Row>) {
  const { id, label, isNumber, hint, note, className, isFixed } = column;
  const direction = sort === id ? "up" : sort === `-${id}` ? "down" : "none";
  const { aria, icon: Icon } = DIRECTIONS[direction];
  // The first sort is ascending for names, descending for numbers.
  const first = isNumber ? `-${id}` : id;
  const other = first === id ? `-${id}` : id;
  return (
    <th scope="col" aria-sort={aria} className={classesOf(isNumber && "numeric", className)} title={hint}>
      {isFixed ? (
        label
      ) : (
        <button type="button" className="sort" onClick={() => onSort(sort === first ? other : first)}>
          {label}
          <Icon size={14} aria-hidden data-active={direction !== "none" || undefined} />
        </button>
      )}
      {note}
    </th>
  );
}
