/** Values that are costly to compute, kept in memory and by the browser: the last few, each with its signature. */
import { readStored, writeStored } from "@/lib/stored/stored";

type Entry = readonly [signature: string, value: unknown];

const memory = new Map<string, readonly Entry[]>();

function entriesOf(name: string): readonly Entry[] {
  const known = memory.get(name);
  if (known !== undefined) return known;
  const stored = readStored(name);
  return Array.isArray(stored)
    ? stored.filter((one) => Array.isArray(one) && typeof one[0] === "string")
    : [];
}

/** The value with the signature; null if there is none, or if what is stored is not valid. */
export function readKept<Value>(
  name: string,
  signature: string,
  isValid: (value: unknown) => value is Value,
): Value | null {
  const value = entriesOf(name).find(([known]) => known === signature)?.[1];
  return isValid(value) ? value : null;
}

/** Keeps a value, and drops the oldest of more than `most`. */
export function keep(name: string, signature: string, value: unknown, most: number): void {
  const others = entriesOf(name).filter(([known]) => known !== signature);
  const entries = [[signature, value] as const, ...others].slice(0, most);
  memory.set(name, entries);
  writeStored(name, entries);
}

/** Forgets what memory has of a name, as a new page does. */
export function forgetKept(name: string): void {
  memory.delete(name);
}
