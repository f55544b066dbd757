/** Commands to copy are shown whole, and are copied where the browser has no clipboard for pages. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { visiting } from "../visits.ts";

const visits = visiting();

/** The pixels of each command that are beside its box. */
const cut = (page: Page): Promise<number[]> =>
  page
    .locator(".copy-text section")
    .evaluateAll((all) => all.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth));

test.each([320, 1440])("a long command is wrapped at %i px", async (width) => {
  const path = `/replications?q=${"a-long-name-of-a-cluster-".repeat(6)}`;
  const { page } = await visits.open(path, "light", { width, height: 900 });
  await page.getByRole("button", { name: "Command and request of the flows" }).click();
  await page.getByRole("region", { name: "REST request" }).waitFor();
  expect(await cut(page)).toEqual([0, 0]);
  const box = await page.getByRole("dialog", { name: /^Command/ }).boundingBox();
  expect(box?.width).toBe(width === 320 ? 304 : 640);
});

test("a menu copies over plain HTTP", async () => {
  const { page } = await visits.open("/settings");
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "clipboard"));
  await page.goto(`${visits.service.url}/replications`);
  await page
    .getByRole("button", { name: /^Actions on/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Copy the name" }).click();
  await page.getByRole("menuitem", { name: "Copied" }).waitFor();
  await page.keyboard.press("Escape");
  const field = page.getByPlaceholder("Cluster, label or owner");
  await field.focus();
  await page.keyboard.press("Control+V");
  expect(await field.inputValue()).toMatch(/^[\w-]+->[\w-]+$/);
});
