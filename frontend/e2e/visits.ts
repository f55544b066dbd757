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
const EVERY_RIGHT = [
  "flows.read",
  "flows.act",
  "flows.change",
  "clusters.read",
  "clusters.change",
  "drivers.act",
];
const WIDE = { width: 1440, height: 1000 };
const PHONE = { width: 390, height: 844 };
const SETTLE_MS = 200;
/** A complaint of the content security policy; no test expects one. */
const OF_THE_POLICY = /content security policy/i;

type Rules = "every" | "colours";
/** The rules that look at colours: all others find the same in both themes. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];
const LOOKS: readonly [typeof WIDE, Scheme, Rules][] = [
  [WIDE, "light", "every"],
  [WIDE, "dark", "colours"],
  [PHONE, "dark", "every"],
  [PHONE, "light", "colours"],
];

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
    const refused = visits.flatMap(({ complaints }) => complaints.filter((text) => OF_THE_POLICY.test(text)));
    visits = [];
    await shared.service.close();
    expect(shared.service.unknown).toEqual([]);
    expect(refused).toEqual([]);
  });
  return shared;
}

/**
 * No rule of accessibility is broken in either theme at either width, nothing scrolls sideways, and the console has no
 * complaint. One visit shows it all: theme and width change in place. `SRM_SHOTS` keeps pictures.
 */
export async function inOrder(
  { page, complaints }: Visit,
  name: string,
  expected: RegExp = /Failed to load resource/,
): Promise<void> {
  const size = page.viewportSize() ?? WIDE;
  for (const [width, scheme, rules] of LOOKS) {
    await page.setViewportSize(width);
    await page.emulateMedia({ colorScheme: scheme });
    await page.waitForTimeout(SETTLE_MS);
    await keepPicture(page, `${name}-${scheme}-${width.width}`);
    expect(await violations(page, rules), `${name}, ${scheme}, ${width.width} px`).toEqual([]);
    await fits(page, width.width);
  }
  await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: "light" });
  expect(complaints.filter((text) => !expected.test(text))).toEqual([]);
}

async function fits(page: Page, width: number): Promise<void> {
  const wide = (): Promise<number> => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(wide, { timeout: 5_000 }).toBeLessThanOrEqual(width);
}

async function keepPicture(page: Page, name: string): Promise<void> {
  if (SHOTS === undefined) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.evaluate(() => window.scrollTo(0, 0));
  await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
}

/** The broken rules, each with the elements that break it. */
export async function violations(page: Page, rules: Rules = "every"): Promise<string[]> {
  // The policy forbids injected scripts, as it should: the debugger may evaluate all the same.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE);
  const only = rules === "every" ? { type: "tag", values: AXE_TAGS } : { type: "rule", values: COLOUR_RULES };
  const results = (await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(only)}, resultTypes: ["violations"] })`,
  )) as AxeResults;
  const told: string[] = [];
  for (const { id, nodes } of results.violations) {
    const elements = [];
    for (const { target, html } of nodes) {
      if (id !== "target-size" || !(await isHidden(page, String(target[0])))) elements.push(html);
    }
    if (elements.length > 0) told.push(`${id}: ${elements.join(" | ")}`);
  }
  return told;
}

/**
 * True for a control that an open menu or popover covers in part, or that is at the edge of the part of a topology that is
 * shown: it is no target until that closes, or until the topology is moved.
 */
function isHidden(page: Page, selector: string): Promise<boolean> {
  return page.evaluate((selector) => {
    const control = document.querySelector(selector);
    if (control === null) return false;
    const box = control.getBoundingClientRect();
    const part = control.closest(".react-flow")?.getBoundingClientRect();
    const tools = 64; // the height of the buttons and the note at the lower edge
    if (part !== undefined && (box.right > part.right || box.left < part.left || box.top < part.top))
      return true;
    if (part !== undefined && box.bottom > part.bottom - tools) return true;
    const open = [...document.querySelectorAll(".mantine-Popover-dropdown, .mantine-Menu-dropdown")];
    return open.some((each) => {
      const over = each.getBoundingClientRect();
      const meets =
        over.left < box.right && box.left < over.right && over.top < box.bottom && box.top < over.bottom;
      return meets && !each.contains(control);
    });
  }, selector);
}
