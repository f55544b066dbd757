/** The rules that the browser tests check find what they look for, and the build preloads what the first page needs. */
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { violations, visiting } from "../visits.ts";

const visits = visiting();

/** Two buttons of 12 pixels that touch each other, at a place of the window. */
function addSmallButtons(page: Page, left: number, top: number): Promise<void> {
  return page.evaluate(
    ([left, top]) => {
      const box = document.createElement("div");
      box.className = "small-buttons";
      box.style.cssText = `position: fixed; left: ${left}px; top: ${top}px; display: flex; z-index: 1`;
      for (const name of ["one", "other"]) {
        const button = document.createElement("button");
        button.type = "button";
        button.ariaLabel = `${name} small button`;
        button.style.cssText = "width: 12px; height: 12px; padding: 0; border: 0";
        box.append(button);
      }
      document.querySelector("main")?.append(box);
    },
    [left, top] as const,
  );
}

const tooSmall = async (page: Page) =>
  (await violations(page)).filter((rule) => rule.startsWith("target-size")).join();

test("a small control breaks a rule beside an open menu, and none behind it", async () => {
  const { page } = await visits.open("/replications");
  await page.getByRole("button", { name: "Columns", exact: true }).click();
  const menu = page.locator(".mantine-Popover-dropdown, .mantine-Menu-dropdown").filter({ visible: true });
  const { x, y, width, height } = (await menu.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  expect(width).toBeGreaterThan(0);

  await addSmallButtons(page, x + width / 2, y + height / 2);
  expect(await tooSmall(page)).toBe("");

  await addSmallButtons(page, x - 60, y + height / 2);
  expect(await tooSmall(page)).toContain("one small button");
});

test("the page preloads the chunk of the start page, and loads no script that it does not name", () => {
  const html = readFileSync("dist/index.html", "utf8");
  const manifest = JSON.parse(readFileSync("dist/.vite/manifest.json", "utf8")) as Record<
    string,
    { file: string; imports?: string[] }
  >;
  const start = manifest["src/features/replications/OverviewPage.tsx"];
  const needed = [start?.file, ...(start?.imports ?? []).map((name) => manifest[name]?.file)];

  expect(needed.length).toBeGreaterThan(1);
  for (const file of needed) {
    expect(html).toMatch(new RegExp(`<(link rel="modulepreload"|script type="module")[^>]*"/${file}"`));
  }
});
