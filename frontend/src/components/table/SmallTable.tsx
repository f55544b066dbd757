import "@/components/table/small-table.css";
import { ColumnTable, type ColumnTableProps } from "@/components/table/ColumnTable";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { useRowFilter } from "@/components/table/useRowFilter";

/** A table whose rows are all here. Several have the choice of columns above them, and many have a filter. */
export function SmallTable<Row extends object>({ rows, ...table }: ColumnTableProps<Row>) {
  const filtered = useRowFilter(table.view, rows);
  return (
    <>
      {rows.length > 1 && (
        <div className="small-table-tools">
          {filtered.field}
          <ColumnTools view={table.view} />
        </div>
      )}
      {filtered.none ?? <ColumnTable {...table} rows={filtered.rows} />}
    </>
  );
}
