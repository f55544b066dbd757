/** The first screen says if anything is wrong, without scrolling. */
import type { Locator } from "playwright-core";
import { expect, test } from "vitest";
import { visiting } from "../visits.ts";

const visits = visiting();
/** A small laptop. */
const SIZE = { width: 1440, height: 900 };

/** True if the whole element is in the window and nothing covers its middle. */
function isInSight(part: Locator): Promise<boolean> {
  return part.evaluate((element) => {
    const { left, right, top, bottom } = element.getBoundingClientRect();
    const isInside = left >= 0 && top >= 0 && right <= window.innerWidth && bottom <= window.innerHeight;
    const there = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return isInside && right > left && there !== null && (element.contains(there) || there.contains(element));
  });
}

test("counts by status, the worst latency, the lag and what is wrong are seen without scrolling", async () => {
  const { page } = await visits.open("/replications", "light", SIZE);
  const tiles = page.getByRole("region", { name: "All flows now" });
  const topology = page.getByRole("button", { name: /^eu-central to analytics, degraded/ });
  await topology.waitFor();
  const parts: Record<string, Locator> = {
    "4 healthy": tiles.getByRole("link", { name: "4 healthy" }),
    "1 degraded": tiles.getByRole("link", { name: "1 degraded" }),
    "1 disabled": tiles.getByRole("link", { name: "1 disabled" }),
    "worst latency": tiles.getByText("worst: eu-central → analytics"),
    lag: tiles.locator(".tile").filter({ hasText: "Lag" }).locator(".tile-value"),
    "the flow that is not healthy": topology,
  };
  for (const [name, part] of Object.entries(parts)) expect(await isInSight(part), name).toBe(true);
  expect(await parts.lag?.innerText()).toMatch(/^\d/);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});
