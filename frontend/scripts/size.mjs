/** Fails when the built page grows over its budget (gzip, in kB of 1000 bytes). Run after `npm run build`. */
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const DIST = new URL("../dist/", import.meta.url);
const OVERVIEW = "src/features/replications/OverviewPage.tsx";
const BUDGETS_KB = { firstPaint: 230, chunk: 90, styles: 30, font: 50 };

/** @typedef {{file: string, isEntry?: boolean, imports?: string[], css?: string[], assets?: string[]}} Chunk */
/** @typedef {Record<string, Chunk>} Manifest */

/** @param {string} file */
function gzipped(file) {
  return gzipSync(readFileSync(new URL(file, DIST)), { level: 9 }).length / 1000;
}

/** @param {Iterable<string>} files */
function sum(files) {
  return [...new Set(files)].reduce((total, file) => total + gzipped(file), 0);
}

/** Everything the browser loads for one chunk. @param {Manifest} manifest @param {string} name @param {Set<string>} seen */
function withImports(manifest, name, seen = new Set()) {
  if (seen.has(name)) return seen;
  seen.add(name);
  for (const needed of manifest[name]?.imports ?? []) withImports(manifest, needed, seen);
  return seen;
}

/** What the first paint of the overview needs, and everything else. */
function parts() {
  /** @type {Manifest} */
  const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", DIST), "utf8"));
  const entry = Object.keys(manifest).find((name) => manifest[name]?.isEntry);
  if (entry === undefined || manifest[OVERVIEW] === undefined) {
    throw new Error("dist/ does not hold the page: run `npm run build` first");
  }
  const all = Object.values(manifest);
  const needed = withImports(manifest, OVERVIEW, withImports(manifest, entry));
  const first = [...needed].flatMap((name) => manifest[name] ?? []);
  const scripts = [...new Set(first.map((chunk) => chunk.file))];
  const files = all.flatMap((chunk) => [chunk.file, ...(chunk.assets ?? [])]);
  return {
    scripts,
    styles: first.flatMap((chunk) => chunk.css ?? []),
    fonts: files.filter((file) => file.endsWith(".woff2")),
    lazy: all.map((chunk) => chunk.file).filter((file) => file.endsWith(".js") && !scripts.includes(file)),
  };
}

/** The sizes in kB beside their budgets. */
export function sizes() {
  const { scripts, styles, fonts, lazy } = parts();
  return [
    { name: "JS before first paint of /replications", size: sum(scripts), budget: BUDGETS_KB.firstPaint },
    { name: "largest lazy chunk", size: Math.max(0, ...lazy.map(gzipped)), budget: BUDGETS_KB.chunk },
    { name: "CSS before first paint", size: sum(styles), budget: BUDGETS_KB.styles },
    { name: "fonts", size: sum(fonts), budget: BUDGETS_KB.font },
  ];
}

if (import.meta.filename === process.argv[1]) {
  const lines = sizes();
  for (const { name, size, budget } of lines) {
    console.log(
      `${size <= budget ? "ok  " : "OVER"} ${size.toFixed(1).padStart(7)} of ${budget} kB gz  ${name}`,
    );
  }
  for (const file of parts().scripts) console.log(`     ${gzipped(file).toFixed(1).padStart(7)} ${file}`);
  process.exitCode = lines.every(({ size, budget }) => size <= budget) ? 0 : 1;
}
