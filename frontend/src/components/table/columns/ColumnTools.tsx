import type { Column } from "@/components/DataTable";
import { ColumnsNote } from "@/components/definition/ColumnsNote";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import type { TableView } from "@/components/table/useTableView";

interface ColumnToolsProps {
  view: TableView<Pick<Column<never>, "id" | "label" | "hint" | "isExtra" | "isAlways">>;
  /** the words of a column, with their meaning */
  words?: readonly (readonly [string, string])[];
}

/** What the columns of a table mean, and the choice of them. */
export function ColumnTools({ view, words }: ColumnToolsProps) {
  return (
    <>
      <ColumnsNote of={view.what} columns={view.columns} words={words} />
      <ColumnMenu {...view} />
    </>
  );
}
