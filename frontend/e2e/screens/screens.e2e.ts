/** Pictures of every screen in both themes at four widths, and its rules; `make screenshots` makes one sheet of them. */
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { SCHEMES, violations, visiting } from "../visits.ts";
import { SCREENS } from "./screens.ts";
import type { Screen } from "./steps.ts";

const SHOTS = process.env.SRM_SCREENS;
/** `SRM_ONLY=flow,topic` takes the screens whose names begin so. */
const ONLY = process.env.SRM_ONLY?.split(",") ?? [""];
const SIZES = [
  { width: 1440, height: 1000 },
  { width: 2560, height: 1300 },
  { width: 390, height: 844 },
  { width: 320, height: 700 },
];
/** The widths at which the rules of accessibility are checked. */
const CHECKED = [1440, 390];

const visits = visiting();
const chosen = Object.entries(SCREENS).filter(([name]) => ONLY.some((prefix) => name.startsWith(prefix)));

/** What is shown while a part of the page loads. */
const LOADING = "[role=progressbar], .loading-rows, .topology-waiting";
const LOOKS_TWICE_MS = 200;
const FRAME_MS = 150;
const REPAINT_MS = 400;

/** Until nothing loads, twice in a row, and the clusters of the topology are drawn. */
async function settle(page: Page, { isLoading = false }: Screen): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (!isLoading) {
    await drawn(page);
    await page.waitForTimeout(LOOKS_TWICE_MS);
    await drawn(page);
  }
  await page.waitForTimeout(LOOKS_TWICE_MS);
}

/** Chromium without a GPU may show the topology as it was before: it is painted again once it was away. */
async function repaint(page: Page): Promise<void> {
  const show = (isShown: boolean) =>
    page.evaluate(
      (display) => {
        const canvas = document.querySelector<HTMLElement>(".topology-canvas");
        if (canvas !== null) canvas.style.display = display;
      },
      isShown ? "" : "none",
    );
  await show(false);
  await page.waitForTimeout(FRAME_MS);
  await show(true);
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

test.skipIf(SHOTS === undefined).each(chosen)(
  "%s is no wider than the screen and breaks no rule",
  { timeout: 180_000 },
  async (name, screen) => {
    mkdirSync(SHOTS ?? "", { recursive: true });
    screen.service?.(visits.service);
    const { page } = await visits.open(screen.path);
    await settle(page, screen);
    await screen.act?.(page, visits.service);
    const wider: number[] = [];
    const broken: string[] = [];
    for (const size of SIZES.filter(({ width }) => screen.widths?.includes(width) ?? true)) {
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.setViewportSize(size);
        await settle(page, screen);
        await repaint(page);
        await page.evaluate(() => window.scrollTo(0, 0));
        await page.waitForTimeout(REPAINT_MS);
        if (!screen.isLoading) await drawn(page);
        // What is over the page belongs to the screen, not to the whole page.
        const isOver = (await page.locator("[role=dialog][aria-modal=true]").count()) > 0;
        const path = `${SHOTS}/${name}_${scheme}_${size.width}.png`;
        await page.screenshot({ path, fullPage: !isOver });
        if (!CHECKED.includes(size.width)) continue;
        const rules = scheme === "light" ? "every" : "colours";
        for (const rule of await violations(page, rules)) broken.push(`${scheme}, ${size.width} px: ${rule}`);
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > size.width) wider.push(size.width);
    }
    expect({ wider, broken }).toEqual({ wider: [], broken: [] });
  },
);
