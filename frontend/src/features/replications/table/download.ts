/** The table of flows as a file: the rows and columns that are shown, exact values, times in ISO form. Pure. */
import type { FlowColumn, TableFlow } from "@/features/replications/table/columns";
import { csvOf } from "@/lib/files/csv";
import { isoTime } from "@/lib/time";

type Value = string | number | null;

function exactValue(column: FlowColumn, row: TableFlow): Value {
  if (column.id === "flow") return row.flow.key;
  if (column.id === "status") return row.flow.status;
  const value = column.value(row);
  return column.id === "proven" && typeof value === "number" ? isoTime(value) : value;
}

/** One object per flow, keyed by the id of the column; null is unknown. */
export function flowsAsJson(rows: readonly TableFlow[], columns: readonly FlowColumn[]): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column) => [column.id, exactValue(column, row)])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

/** The first line names the columns. */
export function flowsAsCsv(rows: readonly TableFlow[], columns: readonly FlowColumn[]): string {
  return csvOf([
    columns.map(({ id }) => id),
    ...rows.map((row) => columns.map((column) => exactValue(column, row))),
  ]);
}
