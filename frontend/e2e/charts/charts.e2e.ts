/** The charts of a flow in a real browser: one time for all of them, a zoom by dragging, one line alone. */
import { readFile } from "node:fs/promises";
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

async function openCharts(search = ""): Promise<Page> {
  const { page } = await visits.open(`/replications/us-east/eu-central${search}`);
  // In one step: a chart that is drawn again while it loads is another element.
  await plot(page, "Throughput").evaluate((element) => element.scrollIntoView({ block: "center" }));
  return page;
}

test("dragging over a chart zooms the whole page, and a double click returns to the range before", async () => {
  const page = await openCharts("?from=now-1h");
  await pointAt(page, "Throughput", 0.3);
  await page.mouse.down();
  await pointAt(page, "Throughput", 0.6);
  await page.mouse.up();

  await page.waitForURL(/[?&]from=\d+&to=\d+/);
  const zoomed = new URL(page.url()).searchParams;
  expect(Number(zoomed.get("to")) - Number(zoomed.get("from"))).toBeGreaterThan(60_000);
  await page.getByText("Past range").waitFor();
  await plot(page, "Throughput").dblclick();
  await page.waitForURL((url) => !url.searchParams.has("to") && url.searchParams.get("from") === "now-1h");
});

test("an image of a chart has its heading and the names of its lines", async () => {
  const page = await openCharts();
  const drawn = await plot(page, "Throughput").evaluate(
    (over) => over.parentElement?.querySelector("canvas")?.height ?? 0,
  );
  await page.getByRole("button", { name: "Options of the chart us-east-eu-central-throughput" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("menuitem", { name: "Download as image" }).click(),
  ]);
  const image = await readFile(await download.path());
  expect(download.suggestedFilename()).toBe("us-east-eu-central-throughput.png");
  // the height of a PNG is its sixth word
  expect(image.readUInt32BE(20)).toBeGreaterThan(drawn + 60);
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
