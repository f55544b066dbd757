/** Tables as CSV (RFC 4180). Pure. */

/** A text that a spreadsheet would compute is marked as text; unknown values are empty. */
function csvCell(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const plain = typeof value === "string" ? value : JSON.stringify(value);
  const text = /^[=+\-@\t\r]/.test(plain) ? `'${plain}` : plain;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Lines of values; the first line names the columns. */
export function csvOf(lines: readonly (readonly unknown[])[]): string {
  return `${lines.map((values) => values.map(csvCell).join(",")).join("\r\n")}\r\n`;
}

/** Objects as lines; the first one names their fields. */
export function objectsAsCsv(rows: readonly Readonly<Record<string, unknown>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  return csvOf([names, ...rows.map((row) => names.map((name) => row[name]))]);
}
