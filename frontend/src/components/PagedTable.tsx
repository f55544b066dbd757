import { Button } from "@mantine/core";
import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import type { components } from "@/api/schema";
import { PartialNote, StaleNote } from "@/components/answer/Answered";
import { ErrorState, LoadingRows } from "@/components/states";
import { type CellColumn, ColumnTable, type ColumnTableProps } from "@/components/table/ColumnTable";

interface Page<Row> {
  items: readonly Row[];
  partial?: readonly components["schemas"]["Partial"][];
}

export type Pages<Row> = UseInfiniteQueryResult<InfiniteData<Page<Row>>>;

/** The rows of all pages read so far; undefined while there is no answer. */
export function rowsOf<Row>(answer: Pages<Row>): readonly Row[] | undefined {
  return answer.data?.pages.flatMap((page) => page.items);
}

/** All rows of a list; undefined: it is not known to its end. */
export function wholeOf<Row>(answer: Pages<Row>): readonly Row[] | undefined {
  return answer.hasNextPage ? undefined : rowsOf(answer);
}

interface PagedTableProps<Row> extends Omit<ColumnTableProps<Row>, "label" | "rows" | "limit"> {
  /** names the table; absent: "Table of" its rows */
  label?: string;
  answer: Pages<Row>;
  /** shown instead of the table when there are no rows */
  empty: ReactNode;
  /** the columns that the service orders; by the others only a list that is complete can be sorted */
  ordered?: readonly string[];
  /** the expected number of rows, for which space is reserved while they load */
  expected?: number;
}

const NONE: readonly string[] = [];

/** A table that loads page by page, with its states: loading, error, empty, more pages. */
export function PagedTable<Row extends object>(props: PagedTableProps<Row>) {
  const { view, answer, empty, expected = 3, ordered = NONE, label, ...table } = props;
  const { what, columns } = view;
  const { hasNextPage } = answer;
  const shown = useMemo(
    () => (hasNextPage ? columns.map((column) => orderedOnly(column, ordered)) : columns),
    [columns, hasNextPage, ordered],
  );
  const rows = rowsOf(answer);
  if (rows === undefined) {
    if (answer.error === null) return <LoadingRows rows={expected} label={`Loading the ${what}`} />;
    return <ErrorState what={`The ${what}`} error={answer.error} onRetry={() => void answer.refetch()} />;
  }
  return (
    <>
      <StaleNote error={answer.error} dataUpdatedAt={answer.dataUpdatedAt} />
      <PartialNote parts={answer.data?.pages.flatMap(({ partial = [] }) => partial) ?? []} />
      {rows.length === 0 ? (
        empty
      ) : (
        <ColumnTable
          {...table}
          view={{ ...view, columns: shown }}
          label={label ?? `Table of ${what}`}
          rows={rows}
        />
      )}
      {answer.hasNextPage && (
        <div className="table-more">
          <Button
            size="xs"
            variant="default"
            loading={answer.isFetchingNextPage}
            onClick={() => void answer.fetchNextPage()}
          >
            Show more {what}
          </Button>
        </div>
      )}
    </>
  );
}

/** A column that sorts only if the service orders by it. */
function orderedOnly<Row>(column: CellColumn<Row>, ordered: readonly string[]): CellColumn<Row> {
  return ordered.includes(column.id) ? column : { ...column, isFixed: true };
}
