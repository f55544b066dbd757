import { Button } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { Expander } from "@/components/table/opened/Expander";
import type { TableView } from "@/components/table/useTableView";
import { focusOpened, isFocusFree } from "@/lib/view/focus";

interface KeyedTableProps<Row> {
  view: TableView<CellColumn<Row>>;
  rows: readonly Row[];
  rowId: (row: Row) => string;
  /** the number of rows that are shown at first, and added by a press */
  page: number;
  stateOf?: (row: Row) => string;
  /** what an open row shows below it */
  details: (row: Row) => ReactNode;
}

/** A table of properties or keys; a row opens what is known of its key. */
export function KeyedTable<Row extends { key: string }>(props: KeyedTableProps<Row>) {
  const { view, rows, rowId, page, stateOf, details } = props;
  const [limit, setLimit] = useState(page);
  const [opened] = useOpenKey();
  return (
    <>
      <ColumnTable
        label={`Table of ${view.what}`}
        className="config-table"
        isStacked={false}
        view={view}
        rows={rows}
        rowId={rowId}
        limit={limit}
      >
        {(row, cells) => (
          <>
            <tr data-state={stateOf?.(row)}>{cells}</tr>
            {row.key === opened && (
              <tr className="detail-row">
                <td colSpan={view.columns.length}>{details(row)}</td>
              </tr>
            )}
          </>
        )}
      </ColumnTable>
      {rows.length > limit && (
        <div className="table-more">
          <Button size="xs" variant="default" onClick={() => setLimit(limit + page)}>
            Show more {view.what}
          </Button>
        </div>
      )}
    </>
  );
}

/** The key whose details are open, which the address holds. */
function useOpenKey(): [string | undefined, (key: string | undefined) => void] {
  const { key: opened } = useSearch({ from: "/configuration" });
  const navigate = useNavigate();
  const open = (key: string | undefined) =>
    void navigate({
      to: ".",
      search: (before: object) => ({ ...before, key }),
      replace: true,
      resetScroll: false,
    });
  return [opened, open];
}

/** The name of a row, which opens and closes its details. */
export function KeyName({ name, children }: { name: string; children: ReactNode }) {
  const [opened, open] = useOpenKey();
  const isOpen = name === opened;
  const button = useRef<HTMLButtonElement>(null);
  // a link to this key has closed the row in which it was
  useEffect(() => {
    if (isOpen && isFocusFree()) focusOpened(button.current);
  }, [isOpen]);
  return (
    <Expander ref={button} isOpen={isOpen} onToggle={() => open(isOpen ? undefined : name)}>
      <code>{children}</code>
    </Expander>
  );
}
