/** Motion in the style sheets of the page. */
import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const SHEETS = readdirSync("src", { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".css"))
  .map((path): [string, string] => [path, readFileSync(`src/${path}`, "utf8")]);

test("no style sheet has an endless animation", () => {
  expect(SHEETS.filter(([, css]) => css.length > 0).length).toBeGreaterThan(10);
  expect(SHEETS.filter(([, css]) => /\binfinite\b/.test(css)).map(([path]) => path)).toEqual([]);
});

test("reduced motion stops what components animate, the parts before and after an element too", () => {
  const base = SHEETS.find(([path]) => path.endsWith("theme/base.css"))?.[1] ?? "";
  const [, selectors = "", rules = ""] =
    /prefers-reduced-motion: reduce\) \{\s*(?:\/\*.*?\*\/)?([^{]*)\{([^}]*)\}/.exec(base) ?? [];
  expect(selectors.split(",").map((one) => one.trim())).toEqual([
    ":root:root *",
    ":root:root *::before",
    ":root:root *::after",
  ]);
  expect(rules).toMatch(/animation: none/);
});
