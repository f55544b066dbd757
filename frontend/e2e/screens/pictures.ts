/** Takes pictures of screens in both themes at four widths, and checks the rules of each; `make screenshots` runs it. */
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { SCHEMES, violations, visiting } from "../visits.ts";
import { cutTexts } from "./cut.ts";
import type { Screen } from "./steps.ts";

const SHOTS = process.env.SRM_SCREENS ?? "screens";
/** `SRM_ONLY=flow,topic` takes the screens whose names begin so. */
const ONLY = process.env.SRM_ONLY?.split(",") ?? [""];
const SIZES = [
  { width: 1440, height: 1000 },
  { width: 2560, height: 1300 },
  { width: 390, height: 844 },
  { width: 320, height: 700 },
];
/** The sizes at which the rules of accessibility are checked. */
export const SIZES_OF_RULES = SIZES.filter(({ width }) => width === 1440 || width === 390);

/** What is shown while a part of the page loads. */
const LOADING = "[role=progressbar], .loading-rows, .topology-waiting";
const LOOKS_TWICE_MS = 200;
const THEME_MS = 150;
/** Pixels: Chromium draws no higher picture. */
const HIGHEST = 16_000;

/** One test for each screen: it is taken, is no wider than the browser, cuts no text, and breaks no rule. */
export function pictures(screens: Record<string, Screen>): void {
  const visits = visiting();
  const chosen = Object.entries(screens).filter(([name]) => ONLY.some((prefix) => name.startsWith(prefix)));
  if (chosen.length === 0) test.skip("no screen is chosen");
  test.each(chosen)("%s fits the screen and breaks no rule", async (name, screen) => {
    mkdirSync(SHOTS, { recursive: true });
    screen.service?.(visits.service);
    const { page } = await visits.open(screen.path, "light", SIZES[0]);
    await settle(page, screen);
    // A menu closes when something scrolls.
    await unroll(page);
    await screen.act?.(page, visits.service);
    const wider: number[] = [];
    const broken: string[] = [];
    const cut: string[] = [];
    for (const size of SIZES.filter(({ width }) => screen.widths?.includes(width) ?? true)) {
      await page.emulateMedia({ colorScheme: "light" });
      if (size !== SIZES[0]) await page.setViewportSize(size);
      await settle(page, screen);
      // What is over the page belongs to the screen, not to the whole page.
      const isOver = (await page.locator("[role=dialog][aria-modal=true]").count()) > 0;
      if (isOver) await page.setViewportSize(size);
      else await unroll(page);
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        await painted(page);
        if (!screen.isLoading) await drawn(page);
        await page.screenshot({ path: `${SHOTS}/${name}_${scheme}_${size.width}.png` });
        if (!SIZES_OF_RULES.includes(size)) continue;
        const rules = scheme === "light" ? "every" : "colours";
        for (const rule of await violations(page, rules)) broken.push(`${scheme}, ${size.width} px: ${rule}`);
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > size.width) wider.push(size.width);
      for (const text of await cutTexts(page, size.width)) cut.push(`${size.width} px: ${text}`);
    }
    expect({ wider, broken, cut }).toEqual({ wider: [], broken: [], cut: [] });
  });
}

/** Until nothing loads, twice in a row, and the clusters of the topology are drawn. */
export async function settle(page: Page, { isLoading = false }: { isLoading?: boolean }): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (!isLoading) await drawn(page);
  await page.waitForTimeout(LOOKS_TWICE_MS);
  if (!isLoading) await drawn(page);
}

async function drawn(page: Page): Promise<void> {
  await page.waitForFunction(
    (loading) => {
      const canvas = document.querySelector(".topology-canvas");
      const isDrawn =
        canvas === null || canvas.querySelector(".react-flow__edge, .notice, .not-read") !== null;
      return isDrawn && document.querySelector(loading) === null;
    },
    LOADING,
    { timeout: 20_000 },
  );
}

/** At the top of the page, once the theme is painted. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.waitForTimeout(THEME_MS);
}

/** Makes the window as high as the page: a picture of more than the window would lay the page out once more. */
async function unroll(page: Page): Promise<void> {
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  const whole = await page.evaluate(() => document.documentElement.scrollHeight);
  if (whole > height) await page.setViewportSize({ width, height: Math.min(whole, HIGHEST) });
}
