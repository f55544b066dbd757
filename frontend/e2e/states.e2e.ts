/** The states that every page shares: loading, error, forbidden, empty. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { newConfiguration } from "./configuration.ts";
import { violations, visiting } from "./visits.ts";

const FLOW = "/replications/us-east/eu-central";
const PAGES = [
  "/replications",
  FLOW,
  ...["topics", "groups", "tasks", "events", "orders", "configuration"].map((tab) => `${FLOW}?tab=${tab}`),
  `${FLOW}/topics/orders`,
  "/replications/new",
  "/clusters",
  "/clusters/us-west",
  "/clusters/us-west/edit",
  "/drivers",
  "/services",
  "/configuration",
  "/configuration/keys",
  "/configuration/review?draft=1",
  "/configuration/history",
  "/configuration/transfer",
];
/** Pages that load at the same time: most of the time they wait between two tries. */
const TABS = 5;
const REASONS: Record<number, string> = {
  403: "This needs the role viewer",
  503: "the database does not answer",
};
/** What programmers write and people should not read. */
const OF_PROGRAMS = /undefined|TypeError|NaN|\[object|data is |Failed to fetch|Unexpected token/;

const visits = visiting();

/** Calls back with each page as soon as it has its heading, some at a time. */
async function everyPage(check: (page: Page, path: string) => Promise<void>): Promise<void> {
  const { context } = await visits.open("/nowhere");
  const waiting = [...PAGES];
  const work = async (): Promise<void> => {
    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      const page = await context.newPage();
      await page.goto(visits.service.url + path);
      await page.locator("h1").waitFor();
      await check(page, path);
      await page.close();
    }
  };
  await Promise.all(Array.from({ length: TABS }, work));
}

test.each([503, 403])(
  "an answer %s is told once on every page, and nothing waits for ever",
  async (status) => {
    visits.service.faults.api_status = status;
    visits.service.refuseSockets(true);
    const seen: Record<string, unknown> = {};
    await everyPage(async (page, path) => {
      await page.getByRole("progressbar").first().waitFor({ state: "detached", timeout: 30_000 });
      await page.waitForTimeout(300);
      const text = await page.locator("main").innerText();
      const told = text.split(REASONS[status] ?? "").length - 1;
      const broken = await violations(page);
      if (told > 1 || OF_PROGRAMS.test(text) || broken.length > 0) seen[path] = { told, text, broken };
    });
    expect(seen).toEqual({});
  },
);

test("what loads is announced on every page, and breaks no rule", async () => {
  visits.service.faults.is_hanging = true;
  const seen: Record<string, string[]> = {};
  await everyPage(async (page, path) => {
    await page.waitForTimeout(600);
    const broken = await violations(page);
    if (broken.length > 0) seen[path] = broken;
  });
  expect(seen).toEqual({});
});

test("a service without clusters, flows and drivers says on every page what to do", async () => {
  Object.assign(visits.service.faults, { flows: [], aliases: [], configuration: newConfiguration() });
  const seen: Record<string, unknown> = {};
  await everyPage(async (page, path) => {
    if (path.startsWith(FLOW) || path.startsWith("/clusters/")) return;
    await page.getByRole("progressbar").first().waitFor({ state: "detached", timeout: 15_000 });
    const text = await page.locator("main").innerText();
    const broken = await violations(page);
    if (OF_PROGRAMS.test(text) || broken.length > 0) seen[path] = { text, broken };
  });
  expect(seen).toEqual({});
});
