/** The figures beside their budgets: printed, and written into docs/benchmarks.md. */
import { readFileSync, writeFileSync } from "node:fs";

export interface Result {
  name: string;
  unit: string;
  value: number;
  budget: number;
}

const HEADING = "## Web page";
const ABOUT = `\`make bench-ui\` measures these figures: the built page in headless Chromium on two cores, which it shares with the
process that answers it, with new numbers of every flow each second. Paints are medians of three visits without a
cache; the main thread's work is the lowest of three times 15 s. \`make bench-ui MINUTES=2\` watches the heap for a
shorter time and leaves the figure of ten minutes in the table.`;

function figure(value: number): string {
  return value >= 100 || Number.isInteger(value) ? value.toFixed(0) : value.toFixed(value < 1 ? 3 : 1);
}

export function tableOf(results: readonly Result[]): string {
  const rows = results.map(({ name, unit, value, budget }) => {
    const outcome = value <= budget ? "pass" : "FAIL";
    return `| ${name} | ${unit} | ${figure(value)} | <= ${budget} | ${outcome} |`;
  });
  return ["| Measurement | Unit | Page | Budget | Result |", "|---|---|---|---|---|", ...rows].join("\n");
}

/** The page with the section of these results; rows that were not measured stay. */
export function withSection(page: string, results: readonly Result[]): string {
  const [others = "", section = ""] = page.split(`\n${HEADING}\n`);
  const names = new Set(results.map(({ name }) => name));
  const kept = section.split("\n").filter((row) => {
    const name = /^\| ([^|]+) \|/.exec(row)?.[1];
    return name !== undefined && name !== "Measurement" && !names.has(name);
  });
  return `${others.trimEnd()}\n\n${HEADING}\n\n${ABOUT}\n\n${[tableOf(results), ...kept].join("\n")}\n`;
}

export function record(path: URL, results: readonly Result[]): void {
  writeFileSync(path, withSection(readFileSync(path, "utf8"), results));
}
