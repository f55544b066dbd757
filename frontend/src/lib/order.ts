/** The order of rows by the values of a column. Pure. */

export type SortValue = string | number | null;

/**
 * The rows by value, each value read once; unknown values come last in both directions, and equal rows keep their
 * order. Texts are compared without case.
 */
export function orderedBy<Row>(
  rows: readonly Row[],
  value: (row: Row) => SortValue,
  isDescending: boolean,
): Row[] {
  const sign = isDescending ? -1 : 1;
  const keyed = rows.map((row) => ({ row, key: keyOf(value(row)) }));
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    return one === other ? 0 : one < other ? -sign : sign;
  });
  return keyed.map(({ row }) => row);
}

function keyOf(value: SortValue): SortValue {
  return typeof value === "string" ? value.toLowerCase() : value;
}
