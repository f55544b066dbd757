/** Pictures of every screen in both themes at four widths, and its rules; `make screenshots` makes one sheet of them. */
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { SCHEMES, violations, visiting } from "../visits.ts";
import { SCREENS, type Screen } from "./screens.ts";

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

/** Until no request is under way and the canvases are drawn. */
async function settle(page: Page, { isLoading = false }: Screen): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  if (!isLoading) {
    const waiting = page.locator("[role=progressbar]").first();
    await waiting.waitFor({ state: "detached", timeout: 15_000 });
    await page.locator(".topology-waiting").waitFor({ state: "detached", timeout: 15_000 });
  }
  await page.waitForTimeout(400);
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
      await page.setViewportSize(size);
      for (const scheme of SCHEMES) {
        await page.emulateMedia({ colorScheme: scheme });
        await settle(page, screen);
        await page.screenshot({ path: `${SHOTS}/${name}_${scheme}_${size.width}.png`, fullPage: true });
        if (!CHECKED.includes(size.width)) continue;
        for (const rule of await violations(page)) broken.push(`${scheme}, ${size.width} px: ${rule}`);
      }
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > size.width) wider.push(size.width);
    }
    expect({ wider, broken }).toEqual({ wider: [], broken: [] });
  },
);
