/** The rules of accessibility on every route in every state, in both themes at two widths; `make screenshots` runs it. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import type { FakeService } from "../fake-service.ts";
import { SIZES_OF_RULES, settle } from "../screens/pictures.ts";
import { failing, hanging, partial } from "../screens/steps.ts";
import { SCHEMES, violations, visiting } from "../visits.ts";
import { ROUTES } from "./routes.ts";

type Broken = Record<string, string[]>;

const visits = visiting();
/** `SRM_ONLY=rules` checks the states alone, and pictures of chosen screens come without them. */
const isChosen = (process.env.SRM_ONLY ?? "rules").split(",").includes("rules");
const ROUTE_MS = 20_000;

/** The states that a route has from its first request. */
const FROM_THE_START: Record<string, (service: FakeService) => void> = {
  loading: hanging,
  empty: (service) => {
    service.faults.is_empty = true;
  },
  partial,
  error: failing(503),
  forbidden: failing(403),
};

/** The states that begin while people look at the page, with the word that tells each. */
const LATER: Record<string, [word: string, begin: (service: FakeService) => void]> = {
  stale: [
    "Stale",
    (service) => {
      service.faults.is_silent = true;
    },
  ],
  disconnected: [
    "Disconnected, refreshing every 10 s",
    (service) => {
      failing(503)(service);
      service.dropSockets(1001);
    },
  ],
};

async function brokenOf(page: Page, isLoading = false): Promise<string[]> {
  const broken: string[] = [];
  for (const size of SIZES_OF_RULES) {
    await page.setViewportSize(size);
    for (const scheme of SCHEMES) {
      await page.emulateMedia({ colorScheme: scheme });
      if (scheme === "light") await settle(page, { isLoading });
      const rules = scheme === "light" ? "every" : "colours";
      for (const rule of await violations(page, rules)) broken.push(`${scheme}, ${size.width} px: ${rule}`);
    }
    const width = await page.evaluate(() => document.documentElement.scrollWidth);
    if (width > size.width) broken.push(`${width - size.width} px wider than ${size.width} px`);
  }
  return broken;
}

test.runIf(isChosen).each(Object.entries(FROM_THE_START))(
  "no rule is broken on any route: %s",
  { timeout: ROUTES.length * ROUTE_MS },
  async (state, begin) => {
    begin(visits.service);
    const broken: Broken = {};
    for (const path of ROUTES) {
      const { page, context } = await visits.open(path);
      const found = await brokenOf(page, state === "loading").catch((error: Error) => [error.message]);
      if (found.length > 0) broken[path] = found;
      await context.close();
    }
    expect(broken).toEqual({});
  },
);

/** Follows a link without a new document, so that what was read before is shown. */
async function follow(page: Page, path: string): Promise<void> {
  await page.evaluate((to) => window.history.pushState({}, "", to), path);
  await page.waitForFunction((to) => window.location.href.endsWith(to), path);
}

test.runIf(isChosen).each(Object.entries(LATER))(
  "no rule is broken on any route: %s",
  { timeout: ROUTES.length * ROUTE_MS },
  async (_, [word, begin]) => {
    const { page } = await visits.open("/replications");
    for (const path of ROUTES) {
      await follow(page, path);
      await settle(page, {});
    }
    begin(visits.service);
    await page.locator(".live-word", { hasText: word }).waitFor({ timeout: 45_000 });
    const broken: Broken = {};
    for (const path of ROUTES) {
      await follow(page, path);
      const found = await brokenOf(page).catch((error: Error) => [error.message]);
      if (found.length > 0) broken[path] = found;
    }
    expect(broken).toEqual({});
  },
);
