/** The budgets of the page, measured: `make bench-ui`. Each figure over its budget fails. */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sizes } from "../../scripts/size.mjs";
import { startBrowser, type Visit, visit } from "../browser.ts";
import { type FakeService, startFakeService } from "../fake-service.ts";
import { type FakeFlow, FLEET } from "../fleet.ts";
import { aliasesOf, fleetOf } from "./fleets.ts";
import {
  busyMsPerSecond,
  drawnMs,
  heapBytes,
  longTasks,
  median,
  paintOf,
  slowestFrameMs,
  sortMs,
} from "./measures.ts";
import { type Result, record, tableOf } from "./results.ts";

const PAGE = new URL("../../../docs/benchmarks.md", import.meta.url);
const MINUTES = Number(process.env.SRM_HEAP_MINUTES ?? 10);
const FULL_MINUTES = 10;
const SETTLE_MS = 8_000;
const VISITS = 3;
const EVERY_RIGHT = ["flows.read", "flows.act", "flows.change", "clusters.read", "clusters.change"];
const LOOKED_S = 60;
const FRAMES = 120;

interface Fleet {
  flows: readonly FakeFlow[];
  /** the budgets: work of the main thread per second, the time of the drawn graph, long tasks in a minute */
  busy_ms: number;
  graph_ms: number;
  long_tasks: number;
}
const FLEETS: Record<number, Fleet> = {
  6: { flows: FLEET, busy_ms: 35, graph_ms: 1_500, long_tasks: 0 },
  50: { flows: fleetOf(50), busy_ms: 60, graph_ms: 3_000, long_tasks: 3 },
  200: { flows: fleetOf(200), busy_ms: 120, graph_ms: 3_000, long_tasks: 3 },
};

let browser: Browser;
let service: FakeService;
const results: Result[] = [];

beforeAll(async () => {
  browser = await startBrowser();
  service = await startFakeService();
  service.faults.permissions = EVERY_RIGHT;
});

afterAll(async () => {
  await browser.close();
  await service.close();
  console.log(`\n${tableOf(results)}\n`);
  if (results.length > 0) record(PAGE, results);
});

function kept(name: string, unit: string, value: number, budget: number): void {
  results.push({ name, unit, value, budget });
  expect.soft(value, name).toBeLessThanOrEqual(budget);
}

async function open(flows: readonly FakeFlow[], path = "/replications"): Promise<Visit> {
  service.faults.flows = flows;
  service.faults.aliases = aliasesOf(flows);
  return visit(browser, service.url + path, "light");
}

/** Until numbers are live and every line of the topology is drawn. */
async function drawn(page: Page, flows: readonly FakeFlow[]): Promise<void> {
  await page.locator(".live-word", { hasText: "Live" }).waitFor();
  await expect.poll(() => page.locator(".topology-edge").count(), { timeout: 20_000 }).toBe(flows.length);
}

test("sizes", () => {
  for (const { name, size, budget } of sizes()) kept(name, "kB gz", size, budget);
});

test.each(Object.entries(FLEETS))("paints and requests with %s flows", async (count, fleet) => {
  const { flows, graph_ms } = fleet;
  const paints = [];
  const graphs: number[] = [];
  const requests: number[] = [];
  for (let turn = 0; turn < VISITS; turn++) {
    service.faults.flows = flows;
    service.faults.aliases = aliasesOf(flows);
    const { page, context } = await visit(browser, "about:blank", "light");
    let asked = 0;
    page.on("request", (request) => {
      if (new URL(request.url()).pathname.startsWith("/api/")) asked += 1;
    });
    await page.goto(`${service.url}/replications`);
    graphs.push(await drawnMs(page, flows.length));
    await drawn(page, flows);
    await page.waitForTimeout(2_000);
    paints.push(await paintOf(page));
    requests.push(asked);
    await context.close();
  }
  kept(`largest paint, ${count} flows`, "ms", median(paints.map(({ lcp_ms }) => lcp_ms)), 1_500);
  kept(`layout shift, ${count} flows`, "", Math.max(...paints.map(({ cls }) => cls)), 0.02);
  kept(`graph drawn, ${count} flows`, "ms", median(graphs), graph_ms);
  kept(
    `blocked after the first paint, ${count} flows`,
    "ms",
    median(paints.map(({ blocked_ms }) => blocked_ms)),
    150,
  );
  kept(`requests at load, ${count} flows`, "", Math.max(...requests), 12);
});

test.each(Object.entries(FLEETS))("the main thread with %s flows", async (count, fleet) => {
  const { flows, busy_ms, long_tasks } = fleet;
  const { page, context } = await open(flows);
  await drawn(page, flows);
  await page.waitForTimeout(SETTLE_MS);
  const value = await busyMsPerSecond(page);
  const tasks = await longTasks(page, LOOKED_S);
  await context.close();
  kept(`long tasks in a minute, ${count} flows`, "", tasks, long_tasks);
  kept(`main thread, ${count} flows, graph shown`, "ms/s", value, busy_ms);
});

test("the main thread with the charts of a flow", async () => {
  const { page, context } = await open(FLEET, "/replications/us-east/us-west");
  await page.locator(".charts canvas").first().waitFor();
  await page.waitForTimeout(SETTLE_MS);
  const value = await busyMsPerSecond(page);
  await context.close();
  kept("main thread, charts of a flow", "ms/s", value, 40);
});

test("a table of 5,000 rows is sorted and scrolls", async () => {
  const { page, context } = await open(fleetOf(5_000));
  await page.getByRole("button", { name: /^Show 50 more of 5,?000/ }).waitFor({ timeout: 60_000 });
  service.faults.is_silent = true;
  await page.waitForTimeout(SETTLE_MS);
  const times = [];
  for (const heading of ["Lag", "Lag", "Source and target", "Throughput", "Lag"]) {
    times.push(await sortMs(page, heading));
    await page.waitForTimeout(500);
  }
  const slowest = await slowestFrameMs(page, FRAMES);
  service.faults.is_silent = false;
  await context.close();
  kept("slowest frame of a table of 5,000 rows that scrolls", "ms", slowest, 50);
  kept("a table of 5,000 rows is sorted", "ms", median(times), 100);
});

test.skipIf(MINUTES === 0)("the heap does not grow", { timeout: (MINUTES + 3) * 60_000 }, async () => {
  const flows = fleetOf(50);
  const { page, context } = await open(flows);
  await drawn(page, flows);
  await page.waitForTimeout(60_000);
  const before = await heapBytes(page);
  await page.waitForTimeout(MINUTES * 60_000);
  const grown = ((await heapBytes(page)) - before) / 1e6;
  await context.close();
  if (MINUTES >= FULL_MINUTES) kept("heap growth in 10 minutes, 50 flows at 1 Hz", "MB", grown, 10);
  console.log(`heap growth in ${MINUTES} minutes: ${grown.toFixed(2)} MB`);
  expect(grown).toBeLessThan(10);
});
