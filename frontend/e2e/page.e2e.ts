/** The built page in a real browser, under the content security policy of production. */
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import type { ListedFlow } from "../src/api/types.ts";
import { aliasesOf, fleetOf } from "./bench/fleets.ts";
import { inOrder, visiting } from "./visits.ts";

const FLOW = "/replications/eu-central/analytics";
const PAGES = {
  overview: "/replications",
  "overview-past": "/replications?from=now-6h&to=1795600000000",
  flow: FLOW,
  "flow-topics": `${FLOW}?tab=topics&open=orders`,
  "flow-groups": `${FLOW}?tab=groups`,
  "flow-tasks": `${FLOW}?tab=tasks`,
  "flow-events": `${FLOW}?tab=events`,
  services: "/services",
  "not-found": "/nowhere",
};
/** Budget of 1.5 s, with room for a machine that does other work as well. */
const LCP_LIMIT_MS = 1_500 * 1.5;

const visits = visiting();
const open: typeof visits.open = (...where) => visits.open(...where);

async function shown(page: Page, text: string | RegExp): Promise<void> {
  await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout: 15_000 });
}

/** Opens a group by keyboard and waits for its partitions. */
async function openGroup(page: Page, group: string): Promise<void> {
  await page.getByRole("button", { name: group, exact: true }).focus();
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: `Partitions of ${group}` }).waitFor();
}

/** Waits until a chart has a line: a canvas with more colours than axes and their texts have. */
async function drawn(page: Page, name: string): Promise<void> {
  const canvas = page.getByRole("img", { name }).locator("canvas");
  await canvas.waitFor();
  await expect.poll(() => canvas.evaluate(countColoured), { timeout: 10_000 }).toBeGreaterThan(100);
}

/** The pixels of a canvas that are not grey: axes and grid are. */
function countColoured(canvas: SVGElement | HTMLElement): number {
  const { width, height } = canvas as HTMLCanvasElement;
  const pixels = (canvas as HTMLCanvasElement).getContext("2d")?.getImageData(0, 0, width, height).data ?? [];
  let count = 0;
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0, alpha = 0] = pixels.slice(at, at + 4);
    if (alpha > 200 && Math.max(red, green, blue) - Math.min(red, green, blue) > 60) count += 1;
  }
  return count;
}

describe("no rule of accessibility or of the policy is broken", () => {
  test.each(Object.entries(PAGES))("by %s", async (name, path) => {
    const visit = await open(path);
    await visit.page.locator("h1").waitFor();
    await visit.page.getByRole("progressbar").first().waitFor({ state: "detached" });
    await inOrder(visit, name);
  });

  test("by the menus of the overview", async () => {
    const visit = await open("/replications");
    const { page } = visit;
    const menus: [string, () => Promise<void>][] = [
      ["Colour theme", () => page.getByRole("menuitemradio", { name: "Dark" }).waitFor()],
      ["Actions on us-east to us-west", () => page.getByRole("menuitem", { name: "Topics" }).waitFor()],
      ["Columns", () => page.getByRole("menuitemcheckbox", { name: "Owner" }).waitFor()],
    ];
    for (const [button, opened] of menus) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await opened();
      await inOrder(visit, `menu-${button.toLowerCase().replaceAll(" ", "-")}`);
      await page.keyboard.press("Escape");
    }
    await page.getByRole("combobox", { name: "Time range" }).click();
    await page.getByRole("option", { name: "Last hour" }).waitFor();
    await inOrder(visit, "menu-time-range");
  });

  test("by the search and the list of shortcuts", async () => {
    const visit = await open("/replications");
    const { page } = visit;
    await shown(page, "Live");
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    await page.keyboard.type("ord");
    await page
      .getByRole("option", { name: /orders/ })
      .first()
      .waitFor();
    await inOrder(visit, "palette");
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await inOrder(visit, "shortcuts");
  });

  test("by the dialog of an ended session", async () => {
    const visit = await open("/replications");
    await shown(visit.page, "Live");
    visits.service.dropSockets(4401);
    await visit.page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
    await inOrder(visit, "session-ended");
  });

  test("by an open group with its receipt", async () => {
    const visit = await open(`${FLOW}?tab=groups`);
    const { page } = visit;
    await openGroup(page, "zahlung/größe 1");
    for (const metric of ["Lag", "Checkpoint latency"])
      await drawn(page, `${metric} of the group zahlung/größe 1`);
    await page.getByRole("button", { name: "Sync now" }).click();
    await page.getByRole("button", { name: "Write 1 offset to the target" }).click();
    await shown(page, "Receipt of the sync of zahlung/größe 1");
    await inOrder(visit, "group");
  });
});

describe("the first page", () => {
  test("shows its largest part in time", async () => {
    const { page } = await open("/replications");
    await shown(page, "us-west");
    const lcp_ms = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          new PerformanceObserver((list) => resolve(list.getEntries().at(-1)?.startTime ?? 0)).observe({
            type: "largest-contentful-paint",
            buffered: true,
          });
        }),
    );
    expect(lcp_ms).toBeGreaterThan(0);
    expect(lcp_ms).toBeLessThan(LCP_LIMIT_MS);
  });

  test("moves without a reload", async () => {
    const { page } = await open("/replications");
    const total = page.locator(".tile-value").nth(2);
    await total.waitFor();
    const before = await total.textContent();
    await expect.poll(() => total.textContent(), { timeout: 10_000 }).not.toBe(before);
  });

  test("does not change while it is paused", async () => {
    const { page } = await open("/replications");
    await shown(page, "Live");
    await page.getByRole("button", { name: "Pause live updates" }).click();
    await shown(page, /Paused at/);
    const content = page.locator("main");
    await page.waitForTimeout(1_500); // answers that were requested before
    const before = await content.innerHTML();
    let requests = 0;
    page.on("request", (request) => {
      if (request.url().includes("/api/")) requests += 1;
    });
    await page.waitForTimeout(12_500);
    expect(requests).toBe(0);
    expect(await content.innerHTML()).toBe(before);
    await page.getByRole("button", { name: "Resume live updates" }).click();
    await expect.poll(() => requests).toBeGreaterThan(0);
    await expect.poll(() => content.innerHTML()).not.toBe(before);
  });

  test("needs no sideways scrolling at 400 pixels", async () => {
    const { page } = await open("/replications", "light", { width: 400, height: 800 });
    await shown(page, "us-west");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
  });

  test("a stored number says exactly what it is", async () => {
    const { page } = await open("/replications");
    await page.route(/\/api\/v2\/replications\?/, async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as { items: ListedFlow[] };
      for (const { metrics } of list.items) metrics.checkpoint_latency_ms.avg = 1234.5678;
      await route.fulfill({ response, json: list });
    });
    await page.reload();
    const cell = page.getByRole("row", { name: /us-east to us-west/ }).getByTitle("1,234.568");
    await cell.waitFor({ timeout: 15_000 });
    expect(await cell.textContent()).toBe("1,235ms");
  });
});

describe("the connection", () => {
  test("comes back by itself and says so meanwhile", async () => {
    const { page } = await open("/replications");
    await shown(page, "Live");
    visits.service.refuseSockets(true);
    visits.service.dropSockets(1001);
    await shown(page, "Reconnecting");
    visits.service.refuseSockets(false);
    await page.locator(".live-word", { hasText: "Live" }).waitFor({ timeout: 20_000 });
    const total = page.locator(".tile-value").nth(2);
    const before = await total.textContent();
    await expect.poll(() => total.textContent(), { timeout: 10_000 }).not.toBe(before);
  });

  test("falls back to asking every ten seconds, and says so", async () => {
    const { page } = await open("/nowhere");
    await page.clock.install();
    await page.goto(`${visits.service.url}/replications`);
    await shown(page, "Live");
    visits.service.refuseSockets(true);
    visits.service.dropSockets(1001);
    await shown(page, "Reconnecting");
    await page.clock.runFor(31_000);
    await shown(page, "Disconnected, refreshing every 10 s");
    const total = page.locator(".tile-value").nth(2);
    const before = await total.textContent();
    await page.clock.runFor(11_000);
    await expect.poll(() => total.textContent(), { timeout: 15_000 }).not.toBe(before);
  });

  test("silence is shown as stale numbers, which stay", async () => {
    const { page } = await open("/replications");
    await shown(page, "Live");
    visits.service.faults.is_silent = true;
    await page.locator(".live-word", { hasText: "Stale" }).waitFor({ timeout: 20_000 });
    const values = await page.locator(".tile-value").allInnerTexts();
    expect(values.map((value) => /^\d/.test(value))).toEqual(values.map(() => true));
    expect(await page.locator(".flow-row").count()).toBe(6);
  });
});

describe("by keyboard", () => {
  test("the first stop skips to the page", async () => {
    const { page } = await open("/replications");
    await shown(page, "Live");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.activeElement?.closest("main")?.id)).toBe("page");
  });

  test("a flow is reached by its name from anywhere", async () => {
    const { page } = await open("/clusters");
    await shown(page, "Live");
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    await page.keyboard.type("central → ana");
    await page.keyboard.press("Enter");
    await page.waitForURL("**/replications/eu-central/analytics");
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  test("a topic is found by its name on the target, and shortcuts lead to pages", async () => {
    const { page } = await open("/clusters");
    await shown(page, "Live");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await page.waitForURL("**/replications");
    await page.keyboard.press("/");
    await page.getByRole("dialog", { name: "Search" }).waitFor();
    await page.keyboard.type("eu-central.orders");
    await page
      .getByRole("option", { name: /→ eu-central\.orders/ })
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await page.waitForURL("**/replications/eu-central/*/topics/orders**");
  });

  test("groups are filtered, opened and closed", async () => {
    const { page } = await open("/replications/us-east/us-west?tab=groups");
    const blocked = page.getByRole("button", { name: "Blocked 1" });
    await blocked.focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**readiness=blocked**");
    await page.getByRole("button", { name: "billing", exact: true }).waitFor({ state: "detached" });
    await openGroup(page, "zahlung/größe 1");
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Partitions of zahlung/größe 1" }).waitFor({ state: "detached" });
  });

  test("the table is sorted from its heading", async () => {
    const { page } = await open("/replications");
    const heading = page.getByRole("columnheader", { name: "Lag" });
    await heading.getByRole("button").focus();
    const name = async (place: number) =>
      (await page.locator(".flow-row .flow-links a").nth(place).innerText()).replace(/\s+/g, " ");
    await page.keyboard.press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("descending");
    expect(page.url()).toContain("sort=-lag");
    await expect.poll(() => name(1)).toBe("us-east to eu-central");
    await page.keyboard.press("Enter");
    expect(await heading.getAttribute("aria-sort")).toBe("ascending");
    await expect.poll(() => name(0)).toBe("us-west to us-east");
  });
});

test("the chosen theme outlives a reload", async () => {
  const { page } = await open("/replications", "light");
  await page.getByRole("button", { name: "Colour theme" }).click();
  await page.getByRole("menuitemradio", { name: "Dark" }).click();
  await page.reload();
  await expect.poll(() => page.locator("html").getAttribute("data-mantine-color-scheme")).toBe("dark");
});

test("the range of the address is the range of the page", async () => {
  const { page } = await open("/nowhere");
  const asked = page.waitForRequest(/metrics\/summary/);
  await page.goto(`${visits.service.url}/replications?from=now-6h`);
  const query = new URL((await asked).url()).searchParams;
  const [from_ms = 0, to_ms = 0] = ["from_ms", "to_ms"].map((name) => Number(query.get(name)));
  expect(Math.round((to_ms - from_ms) / 360_000)).toBe(60);
  expect(await page.getByRole("combobox", { name: "Time range" }).inputValue()).toBe("Last 6 hours");
});

test("a flow that does not exist says so", async () => {
  const { page } = await open("/replications/us-east/nowhere");
  await shown(page, "Replication flow not found");
});

test.each([6, 50])("the table does not move when the chart and legend of %s flows arrive", async (count) => {
  const { faults } = visits.service;
  faults.flows = fleetOf(count);
  faults.aliases = aliasesOf(faults.flows);
  faults.is_hanging = true;
  visits.service.refuseSockets(true);
  const { page } = await open("/replications");
  const top = async () => (await page.locator(".overview-pictures + .card").boundingBox())?.y;
  await page.locator(".live-chart .loading-row").first().waitFor();
  const before = await top();
  visits.service.release();
  await page.locator(".legend tbody tr").first().waitFor();
  await page.locator(".live-chart canvas").waitFor();
  expect(await top()).toBeCloseTo(before ?? 0, 0);
});

test("the headings of a long table stay in view below the bar of the page", async () => {
  visits.service.faults.flows = fleetOf(50);
  visits.service.faults.aliases = aliasesOf(visits.service.faults.flows);
  const { page } = await open("/replications");
  await page.locator(".flow-row").nth(49).scrollIntoViewIfNeeded();
  const bar = await page.locator(".topbar").boundingBox();
  const head = await page.locator(".flow-table thead").boundingBox();
  expect(head?.y).toBeCloseTo(bar?.height ?? 0, 0);
});

test("a phone shows a card per flow, and nothing is wider than the screen", async () => {
  for (const width of [390, 320]) {
    const { page } = await open("/replications", "light", { width, height: 800 });
    await page.getByLabel("Order of the flows").waitFor();
    expect(await page.locator(".flow-card").count()).toBe(6);
    expect(await page.locator(".flow-card").first().innerText()).toContain("Degraded");
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
});

test("the parts of a flow are tabs, and a topic opens its partitions", async () => {
  const { page, complaints } = await open(FLOW);
  await page.getByRole("link", { name: "Topics", exact: true }).click();
  await page.waitForURL("**tab=topics**");
  await page.getByRole("button", { name: "orders", exact: true }).press("Enter");
  const partitions = page.getByRole("region", { name: "Partitions of orders" });
  await partitions.waitFor();
  expect(await partitions.getByRole("row").count()).toBe(13);
  expect(await partitions.innerText()).toContain("Record too large");
  expect(new URL(page.url()).searchParams.get("open")).toBe("orders");

  await page.getByRole("link", { name: "Tasks", exact: true }).click();
  await shown(page, "The target refuses a record of orders, partition 3: it is too large");
  await page.getByRole("link", { name: "Events", exact: true }).click();
  await shown(page, "orders, partition 3");
  await page.getByLabel("Name of a topic").fill("clicks.raw");
  await shown(page, "Record refused");
  await page.getByText("Record too large").waitFor({ state: "detached" });
  expect(complaints).toEqual([]);
});
