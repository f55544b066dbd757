import { useCallback, useId, useState } from "react";

export interface OpenRows {
  isOpen: (row: string) => boolean;
  toggle: (row: string) => void;
  /** the id of the details of a row */
  detailsId: (row: string) => string;
}

const NONE: ReadonlySet<string> = new Set();

/** The rows of a table whose details are open. */
export function useOpenRows(): OpenRows {
  const [open, setOpen] = useState(NONE);
  const id = useId();
  const toggle = useCallback((row: string) => {
    setOpen((before) => {
      const others = [...before].filter((one) => one !== row);
      return new Set(before.has(row) ? others : [...others, row]);
    });
  }, []);
  return { isOpen: (row) => open.has(row), toggle, detailsId: (row) => `${id}${encodeURIComponent(row)}` };
}
