/** Imports a module from an address that no failed import has used. */
export function importFrom(address: string): Promise<unknown> {
  return import(/* @vite-ignore */ address);
}
