/** The states that every page shares: loading, error, forbidden, empty. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { violations, visiting } from "../visits.ts";
import { ROUTES, ROUTES_OF_NOTHING } from "./routes.ts";

const FLOW = "/replications/us-east/eu-central";
/** `make screenshots` checks the rules of every page, state, theme and width. */
const EXAMPLES = ["/replications", `${FLOW}?tab=groups`, "/clusters", "/drivers", "/configuration"];
/** Pages that load at the same time: most of the time they wait between two tries. */
const TABS = 5;
/** What programmers write and people should not read. */
const OF_PROGRAMS = /undefined|TypeError|NaN|\[object|data is |Failed to fetch|Unexpected token/;

/** What the pages say that show a list, while it is empty. */
const OF_NOTHING: Readonly<Record<string, string>> = {
  "/replications": "Copy the first record",
  "/replications/new": "Missing a cluster? Add a cluster",
  "/clusters": "A flow needs two clusters. Add them here",
  "/drivers": "No driver reports",
  "/services": "No other service is known yet",
  "/configuration": "Nothing is configured yet",
  "/configuration/review?draft=1": "Edit a property to begin one.",
  "/configuration/history": "Each change of the configuration creates a version",
};

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

/** The text of a page that has loaded and tells this, or never will. */
async function loaded(page: Page, wanted = ""): Promise<string> {
  await page.getByRole("progressbar").first().waitFor({ state: "detached", timeout: 60_000 });
  // a list whose request is tried again has no progress bar in a form
  const told = page.locator("main").getByText(wanted).first();
  if (wanted !== "") await told.waitFor({ timeout: 20_000 }).catch(() => null);
  await page.waitForTimeout(300);
  return page.locator("main").innerText();
}

/** Where the text of a page is not told exactly once, or something is told in words of programs. */
async function wronglyTold(
  pages: Map<string, Page>,
  textOf: (path: string) => string | undefined,
): Promise<Record<string, string>> {
  const wrong: Record<string, string> = {};
  for (const [path, page] of pages) {
    const wanted = textOf(path);
    const text = await loaded(page, wanted);
    const isTold = wanted === undefined || text.split(wanted).length === 2;
    if (!isTold || OF_PROGRAMS.test(text)) wrong[path] = text;
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
    expect(await wronglyTold(pages, () => "the database does not answer")).toEqual({});
    expect(await brokenRules(examplesOf(pages))).toEqual({});
  });
});

test("a missing right is told once, and what loads breaks no rule", { timeout: 180_000 }, async () => {
  visits.service.refuseSockets(true);
  visits.service.faults.api_status = 403;
  await everyPage(EXAMPLES, async (pages) => {
    expect(await wronglyTold(pages, () => "it needs the viewer role")).toEqual({});
  });
  visits.service.faults.is_hanging = true;
  // the tabs of a browser share six connections, which requests without an answer fill
  await everyPage(EXAMPLES, async (pages) => expect(await brokenRules(pages)).toEqual({}), 1);
});

test("a service without clusters, flows and drivers says on every page what to do", async () => {
  Object.assign(visits.service.faults, { is_empty: true, flows: [], aliases: [] });
  await everyPage(ROUTES_OF_NOTHING, async (pages) => {
    expect(await wronglyTold(pages, (path) => OF_NOTHING[path])).toEqual({});
  });
});
