import { useId } from "react";
import { useAddressState } from "@/components/table/useAddressState";

export interface OpenRows {
  isOpen: (row: string) => boolean;
  toggle: (row: string) => void;
  /** the id of the details of a row */
  detailsId: (row: string) => string;
}

/** The rows of a table whose details are open; the address holds them as `NAME_open`. */
export function useOpenRows(name: string): OpenRows {
  const [held, hold] = useAddressState(`${name}_open`, "");
  const open = held.split(",");
  const id = useId();
  const keyOf = encodeURIComponent;
  return {
    isOpen: (row) => open.includes(keyOf(row)),
    toggle: (row) => {
      const others = open.filter((one) => one !== keyOf(row) && one !== "");
      hold((open.includes(keyOf(row)) ? others : [...others, keyOf(row)]).join());
    },
    detailsId: (row) => `${id}${keyOf(row)}`,
  };
}
