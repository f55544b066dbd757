/** The states that every page shares: loading, error, forbidden, empty. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newConfiguration } from "../configuration/fake.ts";
import { violations, visiting } from "../visits.ts";
import { ROUTES, ROUTES_OF_NOTHING } from "./routes.ts";

const FLOW = "/replications/us-east/eu-central";
/** `make screenshots` checks the rules of every page, state, theme and width. */
const EXAMPLES = ["/replications", `${FLOW}?tab=groups`, "/clusters", "/drivers", "/configuration"];
/** Pages that load at the same time: most of the time they wait between two tries. */
const TABS = 5;
/** What programmers write and people should not read. */
const OF_PROGRAMS = /undefined|TypeError|NaN|\[object|data is |Failed to fetch|Unexpected token/;

const visits = visiting();

/** Calls back with some pages at a time, as soon as each has its heading. */
async function everyPage(
  paths: readonly string[],
  check: (pages: Map<string, Page>) => Promise<void>,
  tabs = TABS,
) {
  const { context } = await visits.open("/nowhere");
  for (let at = 0; at < paths.length; at += tabs) {
    const opened = paths.slice(at, at + tabs).map(async (path): Promise<[string, Page]> => {
      const page = await context.newPage();
      await page.goto(visits.service.url + path);
      await page.locator("h1").waitFor({ timeout: 60_000 });
      return [path, page];
    });
    const pages = new Map(await Promise.all(opened));
    await check(pages);
    await Promise.all([...pages.values()].map((page) => page.close()));
  }
}

async function loaded(page: Page): Promise<string> {
  await page.getByRole("progressbar").first().waitFor({ state: "detached", timeout: 60_000 });
  await page.waitForTimeout(300);
  return page.locator("main").innerText();
}

/** Where the text is told more than once, or in words of programs. */
async function wronglyTold(pages: Map<string, Page>, reason: string): Promise<Record<string, string>> {
  const wrong: Record<string, string> = {};
  for (const [path, page] of pages) {
    const text = await loaded(page);
    if (text.split(reason).length > 2 || OF_PROGRAMS.test(text)) wrong[path] = text;
  }
  return wrong;
}

function examplesOf(pages: Map<string, Page>): Map<string, Page> {
  return new Map([...pages].filter(([path]) => EXAMPLES.includes(path)));
}

async function brokenRules(pages: Map<string, Page>): Promise<Record<string, string[]>> {
  const broken: Record<string, string[]> = {};
  for (const [path, page] of pages) {
    const found = await violations(page);
    if (found.length > 0) broken[path] = found;
  }
  return broken;
}

test("a failure is told once on every page, and nothing waits for ever", { timeout: 180_000 }, async () => {
  visits.service.faults.api_status = 503;
  visits.service.refuseSockets(true);
  await everyPage(ROUTES, async (pages) => {
    expect(await wronglyTold(pages, "the database does not answer")).toEqual({});
    expect(await brokenRules(examplesOf(pages))).toEqual({});
  });
});

test("a missing right is told once, and what loads breaks no rule", { timeout: 180_000 }, async () => {
  visits.service.refuseSockets(true);
  visits.service.faults.api_status = 403;
  await everyPage(EXAMPLES, async (pages) => {
    expect(await wronglyTold(pages, "it needs the viewer role")).toEqual({});
  });
  visits.service.faults.is_hanging = true;
  // the tabs of a browser share six connections, which requests without an answer fill
  await everyPage(EXAMPLES, async (pages) => expect(await brokenRules(pages)).toEqual({}), 1);
});

test("a service without clusters, flows and drivers says on every page what to do", async () => {
  Object.assign(visits.service.faults, { flows: [], aliases: [], configuration: newConfiguration() });
  await everyPage(ROUTES_OF_NOTHING, async (pages) => {
    expect(await wronglyTold(pages, "no such text")).toEqual({});
  });
});
