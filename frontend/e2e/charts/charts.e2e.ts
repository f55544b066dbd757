/** The charts of a flow in a real browser: one time for all of them, a zoom by dragging, one line alone. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { visiting } from "../visits.ts";

const visits = visiting();

const plot = (page: Page, name: string) =>
  page
    .getByRole("img", { name: new RegExp(`^${name}`) })
    .locator(".u-over")
    .first();
const tips = (page: Page) => page.locator(".chart-tip:visible .chart-tip-time");

/** Moves the pointer over a chart until every chart shows its values there; a chart is built again when it has lines. */
async function pointAt(page: Page, name: string, share: number): Promise<void> {
  await expect
    .poll(async () => {
      const box = await plot(page, name)
        .boundingBox({ timeout: 1_000 })
        .catch(() => null);
      if (box === null) return 0;
      await page.mouse.move(box.x + box.width * share, box.y + box.height / 2, { steps: 3 });
      return tips(page).count();
    })
    .toBeGreaterThan(1);
}

async function openCharts(): Promise<Page> {
  const { page } = await visits.open("/replications/us-east/eu-central");
  // In one step: a chart that is drawn again while it loads is another element.
  await plot(page, "Throughput").evaluate((element) => element.scrollIntoView({ block: "center" }));
  return page;
}

test("dragging over a chart zooms the whole page, and a double click returns", async () => {
  const page = await openCharts();
  await pointAt(page, "Throughput", 0.3);
  await page.mouse.down();
  await pointAt(page, "Throughput", 0.6);
  await page.mouse.up();

  await page.waitForURL(/[?&]from=\d+&to=\d+/);
  const zoomed = new URL(page.url()).searchParams;
  expect(Number(zoomed.get("to")) - Number(zoomed.get("from"))).toBeGreaterThan(60_000);
  await page.getByText("Past range").waitFor();
  await plot(page, "Throughput").dblclick();
  await page.waitForURL((url) => !url.searchParams.has("to"));
});

test("the cursor over one chart shows the values of the others at the same time", async () => {
  const page = await openCharts();
  await pointAt(page, "Throughput", 0.5);
  expect(await tips(page).count()).toBeGreaterThan(4);
  expect(new Set(await tips(page).allInnerTexts()).size).toBe(1);
});

test("a click on the name of a line shows it alone, and a second click shows all", async () => {
  const page = await openCharts();
  const lines = page.getByRole("list", { name: "Lines of Replication latency" });
  const line = lines.getByRole("button", { name: /^p99/ });
  const off = lines.locator("button[data-off]");
  await line.click();
  await expect.poll(() => off.count()).toBe(3);
  expect(await line.getAttribute("aria-pressed")).toBe("true");
  await line.click();
  await expect.poll(() => off.count()).toBe(0);
});
