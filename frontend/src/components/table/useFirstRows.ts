import { type RefObject, startTransition, useEffect, useState } from "react";

interface FirstRows {
  /** the order that was asked for */
  sort: string;
  count: number;
  /** pixels of a row */
  height: number;
}

/** An order that has not come by then does not come. */
const REFUSED_MS = 2_000;

/**
 * A new order of a long table draws the rows in view first and the others after them. `first` is null once all rows
 * are drawn; `sortBy` is to be called instead of `onSort`.
 */
export function useFirstRows(
  table: RefObject<HTMLElement | null>,
  sort: string,
  onSort: (sort: string) => void,
): { first: FirstRows | null; sortBy: (sort: string) => void } {
  const [first, setFirst] = useState<FirstRows | null>(null);
  useEffect(() => {
    if (first === null) return;
    const wait_ms = first.sort === sort ? 0 : REFUSED_MS;
    const timer = setTimeout(() => startTransition(() => setFirst(null)), wait_ms);
    return () => clearTimeout(timer);
  }, [first, sort]);
  const sortBy = (wanted: string): void => {
    const body = table.current?.querySelector("tbody");
    if (wanted !== sort && body != null) setFirst(rowsInView(body, wanted));
    onSort(wanted);
  };
  return { first, sortBy };
}

function rowsInView(body: HTMLTableSectionElement, sort: string): FirstRows | null {
  const { top, height } = body.getBoundingClientRect();
  if (height === 0) return null;
  const each = height / body.rows.length;
  return { sort, count: Math.max(1, Math.ceil((window.innerHeight - top) / each) + 1), height: each };
}
