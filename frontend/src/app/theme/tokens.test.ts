/** Contrast of the colours, computed from the style sheets as they are. */
import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";

const TOKENS = readFileSync("src/app/theme/tokens.css", "utf8");
const OTHERS = readFileSync("../srm_service/static/theme.css", "utf8");

type Palette = Map<string, string>;

function palette(css: string, selector: string): Palette {
  const start = css.indexOf(selector);
  const block = css.slice(css.indexOf("{", start), css.indexOf("}", start));
  return new Map(
    [...block.matchAll(/--([\w-]+):\s*(#[0-9a-f]{6});/g)].map((found) => [found[1] ?? "", found[2] ?? ""]),
  );
}

function luminance(hex: string): number {
  const channel = (at: number): number => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

const TEXT = 4.5;
const SHAPE = 3;
const tones = ["ok", "warn", "bad", "idle"];
const PAIRS: [string, string, number][] = [
  ...["text", "text-2", "text-3"].flatMap((text): [string, string, number][] =>
    ["bg", "surface", "surface-2"].map((ground) => [text, ground, TEXT]),
  ),
  ["accent-text", "accent-bg", TEXT],
  ["accent", "surface", TEXT],
  ["control-border", "surface", SHAPE],
  ["control-border", "bg", SHAPE],
  ...tones.map((tone): [string, string, number] => [`${tone}-text`, `${tone}-bg`, TEXT]),
  ...tones.map((tone): [string, string, number] => [`${tone}-fill`, "surface", SHAPE]),
  ["warn-text", "bg", TEXT],
  ["bad-text", "bg", TEXT],
  ...[1, 2, 3, 4, 5, 6].map((place): [string, string, number] => [`series-${place}`, "surface", SHAPE]),
];

const THEMES: Record<string, Palette> = {
  light: palette(TOKENS, ":root"),
  dark: palette(TOKENS, '[data-mantine-color-scheme="dark"]'),
};

describe.each(Object.entries(THEMES))("in the %s theme", (_, colors) => {
  test.each(PAIRS)("%s on %s has a contrast of at least %d", (front, ground, least) => {
    expect(contrast(colors.get(front) ?? "", colors.get(ground) ?? "")).toBeGreaterThanOrEqual(least);
  });

  test("white is readable on the primary button", () => {
    expect(contrast("#ffffff", colors.get("primary") ?? "")).toBeGreaterThanOrEqual(TEXT);
  });
});

test.each([
  ["light", ":root {"],
  ["dark", ':root[data-theme="dark"]'],
])("pages without the bundle have the colours of the %s theme", (theme, selector) => {
  const others = palette(OTHERS, selector);
  expect(others.size).toBeGreaterThan(10);
  for (const [name, color] of others) expect([name, THEMES[theme]?.get(name)]).toEqual([name, color]);
});
