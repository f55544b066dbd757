/** Takes pictures of screens in both themes at four widths, and checks the rules of each; `make screenshots` runs it. */
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { SCHEMES, violations, visiting } from "../visits.ts";
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

/** One test for each screen: it is taken, is no wider than the browser, and breaks no rule. */
export function pictures(screens: Record<string, Screen>): void {
  const visits = visiting();
  const chosen = Object.entries(screens).filter(([name]) => ONLY.some((prefix) => name.startsWith(prefix)));
  if (chosen.length === 0) test.skip("no screen is chosen");
  test.each(chosen)("%s is no wider than the screen and breaks no rule", async (name, screen) => {
    mkdirSync(SHOTS, { recursive: true });
    screen.service?.(visits.service);
    const { page } = await visits.open(screen.path);
    await settle(page, screen);
    await screen.act?.(page, visits.service);
    const wider: number[] = [];
    const broken: string[] = [];
    for (const size of SIZES.filter(({ width }) => screen.widths?.includes(width) ?? true)) {
      await page.setViewportSize(size);
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        if (scheme === "light") await settle(page, screen);
        await painted(page);
        await keep(page, `${name}_${scheme}_${size.width}`);
        if (!SIZES_OF_RULES.includes(size)) continue;
        const rules = scheme === "light" ? "every" : "colours";
        for (const rule of await violations(page, rules)) broken.push(`${scheme}, ${size.width} px: ${rule}`);
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > size.width) wider.push(size.width);
    }
    expect({ wider, broken }).toEqual({ wider: [], broken: [] });
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

/** Chromium without a GPU may show the topology as it was before: it is painted again once it was away. */
async function painted(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(done));
    const canvas = document.querySelector<HTMLElement>(".topology-canvas");
    window.scrollTo(0, 0);
    if (canvas !== null) canvas.style.display = "none";
    await frame();
    await frame();
    if (canvas !== null) canvas.style.display = "";
    await frame();
    await frame();
  });
  await page.waitForTimeout(THEME_MS);
}

async function keep(page: Page, name: string): Promise<void> {
  // What is over the page belongs to the screen, not to the whole page.
  const isOver = (await page.locator("[role=dialog][aria-modal=true]").count()) > 0;
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: !isOver });
}
