/**
 * True if every typed word occurs in the text; an arrow between two names counts as a space. A word with `=` is a
 * label, which must be the same: `env=prod` is not in `env=production`. Pure.
 */
export function matchesWords(text: string, typed: string): boolean {
  const names = text.toLowerCase();
  const labels = new Set(names.split(/\s+/));
  const words = typed.toLowerCase().replaceAll("->", " ").replaceAll("→", " ").split(/\s+/);
  return words.every((word) => (word.includes("=") ? labels.has(word) : names.includes(word)));
}

/** True if the name is typed; an arrow as the page draws it counts as that of the name, and any space as one. Pure. */
export function isNameTyped(typed: string, name: string): boolean {
  const plain = (text: string) =>
    text
      .replace(/\s*(→|->)\s*/g, "->")
      .replace(/\s+/g, " ")
      .trim();
  return plain(typed) === plain(name);
}

/** A whole number of 0 or more; null: the text is none. */
export function wholeNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text.trim()) ? Number(text.trim()) : null;
}

/** A description of a setting without the marks of its Markdown: the text of its links, and of its code. Pure. */
export function plainText(markdown: string): string {
  return markdown.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1").replace(/`([^`]+)`/g, "$1");
}

/** `caught_up` is `Caught up`. Pure. */
export function wordOf(code: string): string {
  return capitalized(code.replaceAll("_", " "));
}

/** A text with a capital and a full stop. Pure. */
export function sentence(text: string): string {
  return `${capitalized(text)}${/[.?!]$/.test(text) ? "" : "."}`;
}

const LIST = new Intl.ListFormat("en-GB");

/** `one event, two gaps and three changes`. Pure. */
export const inWords = (parts: readonly string[]) => LIST.format(parts);

export const inQuotes = (text: string) => `'${text}'`;

/** The text with a capital letter at its start, as a cell or a state begins. Pure. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
