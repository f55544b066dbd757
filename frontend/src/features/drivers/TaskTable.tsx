import { Button } from "@mantine/core";
import { useState } from "react";
import type { FlowTask } from "@/api/types";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import type { TableView } from "@/components/table/useTableView";

const FIRST_ROWS = 20;

interface TaskTableProps<Task> {
  /** absent: "Table of" its rows */
  label?: string;
  view: TableView<CellColumn<Task>>;
  rows: readonly Task[];
}

/** The first tasks of a list, in its order; a button shows all. */
export function TaskTable<Task extends FlowTask>({ view, rows, label }: TaskTableProps<Task>) {
  const [isWhole, setWhole] = useState(false);
  const isCut = !isWhole && rows.length > FIRST_ROWS;
  return (
    <>
      <ColumnTable
        label={label ?? `Table of ${view.what}`}
        className="task-rows"
        view={view}
        rows={rows}
        rowId={({ target, task }) => `${target} ${task}`}
        limit={isCut ? FIRST_ROWS : rows.length}
      />
      {isCut && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setWhole(true)}>
            Show all {rows.length} {view.what}
          </Button>
        </div>
      )}
    </>
  );
}
