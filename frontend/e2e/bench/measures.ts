/** What Chromium's debugger measures of a page. */
import type { CDPSession, Page } from "playwright-core";

const ROUNDS = 3;
const ROUND_S = 15;

async function session(page: Page): Promise<CDPSession> {
  return page.context().newCDPSession(page);
}

/** Milliseconds that the main thread works per second: the lowest of three rounds, as other processes share the cores. */
export async function busyMsPerSecond(page: Page): Promise<number> {
  const debug = await session(page);
  await debug.send("Performance.enable");
  const read = async () => {
    const { metrics } = await debug.send("Performance.getMetrics");
    const metricOf = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return { task_s: metricOf("TaskDuration"), time_s: metricOf("Timestamp") };
  };
  const rounds: number[] = [];
  for (let turn = 0; turn < ROUNDS; turn++) {
    const before = await read();
    await page.waitForTimeout(ROUND_S * 1_000);
    const after = await read();
    rounds.push((1_000 * (after.task_s - before.task_s)) / (after.time_s - before.time_s));
  }
  await debug.detach();
  return Math.min(...rounds);
}

/** Bytes of living objects and of the arrays outside the heap, after a collection. */
export async function heapBytes(page: Page): Promise<number> {
  const debug = await session(page);
  await debug.send("HeapProfiler.enable");
  await debug.send("HeapProfiler.collectGarbage");
  await debug.send("HeapProfiler.collectGarbage");
  const usage = (await debug.send("Runtime.getHeapUsage")) as {
    usedSize: number;
    backingStorageSize?: number;
  };
  await debug.detach();
  return usage.usedSize + (usage.backingStorageSize ?? 0);
}

/** A task of this length or less delays no input. */
const SHORT_TASK_MS = 50;

export interface Paint {
  lcp_ms: number;
  cls: number;
  /** what is over 50 ms in each task since the first paint */
  blocked_ms: number;
}

/** The time of the largest paint so far, the sum of all shifts without an input before them, and the blocked time. */
export function paintOf(page: Page): Promise<Paint> {
  return page.evaluate(async (short_ms) => {
    type Entry = PerformanceEntry & { value?: number; hadRecentInput?: boolean };
    const entries = (type: string): Promise<Entry[]> =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver((list) => resolve(list.getEntries()));
        observer.observe({ type, buffered: true });
        setTimeout(() => resolve([]), 500);
      });
    const paints = await entries("largest-contentful-paint");
    const shifts = await entries("layout-shift");
    const [first] = performance.getEntriesByName("first-contentful-paint");
    const tasks = (await entries("longtask")).filter(({ startTime }) => startTime > (first?.startTime ?? 0));
    return {
      lcp_ms: paints.at(-1)?.startTime ?? Number.NaN,
      cls: shifts.reduce((sum, { value = 0, hadRecentInput }) => (hadRecentInput ? sum : sum + value), 0),
      blocked_ms: tasks.reduce((sum, { duration }) => sum + duration - short_ms, 0),
    };
  }, SHORT_TASK_MS);
}

/** The time since the start of the page at which so many lines of the topology are drawn. */
export async function drawnMs(page: Page, lines: number): Promise<number> {
  const time = await page.waitForFunction(
    (count) => document.querySelectorAll(".topology-edge").length === count && performance.now(),
    lines,
    { polling: "raf", timeout: 20_000 },
  );
  return Number(await time.jsonValue());
}

/** How many tasks of more than 50 ms the main thread has in the next seconds. */
export function longTasks(page: Page, seconds: number): Promise<number> {
  return page.evaluate(async (wait_ms) => {
    let count = 0;
    const observer = new PerformanceObserver((list) => {
      count += list.getEntries().length;
    });
    observer.observe({ type: "longtask" });
    await new Promise((ended) => setTimeout(ended, wait_ms));
    observer.disconnect();
    return count;
  }, seconds * 1_000);
}

/** The longest time between two frames while the page scrolls down, in milliseconds. */
export function slowestFrameMs(page: Page, frames: number): Promise<number> {
  return page.evaluate(async (count) => {
    let slowest = 0;
    let before = await new Promise<number>(requestAnimationFrame);
    for (let turn = 0; turn < count; turn++) {
      window.scrollBy(0, 120);
      const now = await new Promise<number>(requestAnimationFrame);
      slowest = Math.max(slowest, now - before);
      before = now;
    }
    return slowest;
  }, frames);
}

/** Milliseconds from a click on a heading until the sorted table is painted. */
export function sortMs(page: Page, heading: string): Promise<number> {
  return page.evaluate(async (name) => {
    const cells = [...document.querySelectorAll<HTMLElement>("th[aria-sort]")];
    const cell = cells.find((one) => one.innerText.trim() === name);
    const button = cell?.querySelector("button");
    if (cell === undefined || button == null) throw new Error(`no heading ${name}`);
    const before = cell.ariaSort;
    const began_ms = performance.now();
    button.click();
    while (cell.ariaSort === before) await new Promise(requestAnimationFrame);
    // A message sent in a frame arrives after its paint.
    await new Promise((painted) => {
      requestAnimationFrame(() => {
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = painted;
        port2.postMessage(null);
      });
    });
    return performance.now() - began_ms;
  }, heading);
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
