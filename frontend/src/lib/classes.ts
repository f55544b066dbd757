/** The `className` of several classes; undefined without any. Pure. */
export function classesOf(...classes: readonly (string | false | undefined)[]): string | undefined {
  return classes.filter(Boolean).join(" ") || undefined;
}
