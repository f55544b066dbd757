/** What this browser keeps between visits; a browser that stores nothing has nothing. */

export function readStored(name: string): unknown {
  try {
    return JSON.parse(globalThis.localStorage?.getItem(name) ?? "null");
  } catch {
    return null;
  }
}

/** Undefined removes the entry. */
export function writeStored(name: string, value: unknown): void {
  try {
    if (value === undefined) globalThis.localStorage?.removeItem(name);
    else globalThis.localStorage?.setItem(name, JSON.stringify(value));
  } catch {
    // The page works without it.
  }
}
