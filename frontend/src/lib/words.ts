/** True if every typed word occurs in the text; an arrow between two names counts as a space. */
export function matchesWords(text: string, typed: string): boolean {
  const names = text.toLowerCase();
  const words = typed.toLowerCase().replaceAll("->", " ").replaceAll("→", " ").split(/\s+/);
  return words.every((word) => names.includes(word));
}
