/** The columns that a table shows, as its address holds them: `status,lag`. Pure. */

export interface Choosable {
  id: string;
  /** shown only when it is chosen */
  isExtra?: boolean;
  /** shown in every choice, as the first column is */
  isAlways?: boolean;
}

/** The address of a table that shows its first column only. */
const NONE = "none";

/** The columns of a choice, the usual ones where there is none. The first column is always shown. */
export function columnsOf<Of extends Choosable>(
  all: readonly Of[],
  chosen: string | undefined,
): readonly Of[] {
  const ids = chosen?.split(",");
  return all.filter(
    ({ id, isExtra, isAlways }, place) => place === 0 || isAlways || (ids?.includes(id) ?? !isExtra),
  );
}

/** The columns that a choice shows or hides. */
export function offeredOf<Of extends Choosable>(all: readonly Of[]): readonly Of[] {
  return all.slice(1).filter(({ isAlways }) => !isAlways);
}

/** How the address holds a choice; undefined: the usual columns. */
export function choiceOf(all: readonly Choosable[], ids: readonly string[]): string | undefined {
  const offered = offeredOf(all);
  const chosen = offered.filter(({ id }) => ids.includes(id));
  const isUsual = offered.every((column) => chosen.includes(column) === !column.isExtra);
  return isUsual ? undefined : chosen.map(({ id }) => id).join() || NONE;
}
