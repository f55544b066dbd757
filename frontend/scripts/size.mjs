/** Fails when the built page grows over its budget (gzip, in kB of 1000 bytes). Run after `npm run build`. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url);
const OVERVIEW = "src/features/replications/OverviewPage.tsx";
const BUDGETS_KB = { firstPaint: 230, chunk: 90, styles: 30, font: 50 };

/** @typedef {{file: string, isEntry?: boolean, imports?: string[], css?: string[], assets?: string[]}} Chunk */
/** @type {Record<string, Chunk>} */
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", DIST), "utf8"));

/** @param {string} file */
function gzipped(file) {
  return gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length / 1000;
}

/** Everything the browser loads for one chunk. @param {string} name @param {Set<string>} seen */
function withImports(name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const needed of manifest[name]?.imports ?? []) withImports(needed, seen);
  return seen;
}

const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry);
if (entry === undefined || manifest[OVERVIEW] === undefined) {
  throw new Error("dist/ does not hold the page: run `npm run build` first");
}
const first = withImports(OVERVIEW, withImports(entry));
/** @param {Iterable<string>} names */
const chunksOf = (names) => [...names].flatMap((name) => manifest[name] ?? []);
const scripts = [...new Set(chunksOf(first).map((chunk) => chunk.file))];
const styles = [...new Set(chunksOf(first).flatMap((chunk) => chunk.css ?? []))];
const fonts = [...new Set(Object.values(manifest).map((chunk) => chunk.file))].filter((file) =>
  file.endsWith(".woff2"),
);
const fontsOfChunks = Object.values(manifest)
  .flatMap((chunk) => chunk.assets ?? [])
  .filter((file) => file.endsWith(".woff2"));
const lazy = chunksOf(Object.keys(manifest))
  .map((chunk) => chunk.file)
  .filter((file) => file.endsWith(".js") && !scripts.includes(file));

/** @param {string[]} files */
const sum = (files) => files.reduce((total, file) => total + gzipped(file), 0);
const lines = [
  { name: "JS before first paint of /replications", size: sum(scripts), budget: BUDGETS_KB.firstPaint },
  { name: "largest lazy chunk", size: Math.max(0, ...lazy.map(gzipped)), budget: BUDGETS_KB.chunk },
  { name: "CSS before first paint", size: sum(styles), budget: BUDGETS_KB.styles },
  { name: "fonts", size: sum([...new Set([...fonts, ...fontsOfChunks])]), budget: BUDGETS_KB.font },
];
for (const { name, size, budget } of lines) {
  console.log(
    `${size <= budget ? "ok  " : "OVER"} ${size.toFixed(1).padStart(7)} of ${budget} kB gz  ${name}`,
  );
}
for (const file of scripts) console.log(`     ${gzipped(file).toFixed(1).padStart(7)} ${file}`);
process.exitCode = lines.every(({ size, budget }) => size <= budget) ? 0 : 1;
