/** Lists and settings as people type them: one entry a line. */

export function linesOf(text: string): string[] {
  return text
    .split(/[\n,]/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

/** `key=value` a line; a line without `=` is null, so that the field can name it. */
export function pairsOf(text: string): Record<string, string> | null {
  const pairs: Record<string, string> = {};
  for (const line of text.split("\n").map((each) => each.trim())) {
    if (line === "") continue;
    const at = line.indexOf("=");
    if (at < 1) return null;
    pairs[line.slice(0, at).trim()] = line.slice(at + 1).trim();
  }
  return pairs;
}

/** The first line that is no `key=value`; undefined: there is none. */
export function lineWithoutPair(text: string): string | undefined {
  return text.split("\n").find((line) => pairsOf(line) === null);
}

export function pairsText(pairs: Readonly<Record<string, string>>): string {
  return Object.entries(pairs)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");
}
