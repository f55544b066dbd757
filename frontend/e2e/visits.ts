/** What the browser tests of pages that change things share: a service, a browser, rules and pictures. */
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { type Scheme, startBrowser, type Visit, visit } from "./browser.ts";
import { type FakeService, startFakeService } from "./fake-service.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const SHOTS = process.env.SRM_SHOTS;

export const SCHEMES: Scheme[] = ["light", "dark"];
const EVERY_RIGHT = ["flows.read", "flows.act", "flows.change", "clusters.read", "clusters.change"];
const PHONE = { width: 390, height: 844 };

export interface Visiting {
  service: FakeService;
  open(path: string, scheme?: Scheme, size?: { width: number; height: number }): Promise<Visit>;
}

/** Starts a browser for the file, and a service for each test; an admin is signed in. */
export function visiting(): Visiting {
  let browser: Browser;
  let visits: Visit[] = [];
  const shared = {
    open: async (path: string, scheme: Scheme = "light", size?: { width: number; height: number }) => {
      const opened = await visit(browser, shared.service.url + path, scheme, size);
      visits.push(opened);
      return opened;
    },
  } as Visiting;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    shared.service = await startFakeService();
    shared.service.faults.permissions = EVERY_RIGHT;
  });
  afterEach(async () => {
    await Promise.all(visits.map(({ context }) => context.close()));
    visits = [];
    await shared.service.close();
    expect(shared.service.unknown).toEqual([]);
  });
  return shared;
}

/** No rule of accessibility is broken and nothing scrolls sideways, at both widths; `SRM_SHOTS` keeps pictures. */
export async function inOrder({ page, complaints }: Visit, name: string, scheme: Scheme): Promise<void> {
  const size = page.viewportSize();
  for (const [word, width] of [
    ["1440", size],
    ["390", PHONE],
  ] as const) {
    if (width !== null) await page.setViewportSize(width);
    await page.waitForTimeout(300);
    await keepPicture(page, `${name}-${scheme}-${word}`);
    expect(await violations(page)).toEqual([]);
    const { clientWidth } = await page.evaluate(() => ({
      clientWidth: document.documentElement.clientWidth,
    }));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(clientWidth);
  }
  if (size !== null) await page.setViewportSize(size);
  expect(complaints.filter((text) => !text.includes("Failed to load resource"))).toEqual([]);
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

async function violations(page: Page): Promise<string[]> {
  // The policy forbids injected scripts, as it should: the debugger may evaluate all the same.
  await page.evaluate(AXE);
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(AXE_TAGS)} })`,
  )) as AxeResults;
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(" | ")}`);
}
