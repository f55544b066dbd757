/** The rule that finds texts that a screen cuts off. */
import { expect, test } from "vitest";
import { visiting } from "../visits.ts";
import { cutTexts } from "./cut.ts";

const visits = visiting();

const LONG = `<span style="white-space: nowrap">a long text in a small box</span>`;

test.each([
  ["clipped by an ancestor", `<div style="width: 60px; overflow: hidden"><p>${LONG}</p></div>`, 1],
  ["clipped below", `<div style="height: 8px; overflow: clip"><p style="margin: 0">${LONG}</p></div>`, 1],
  ["scrolled", `<div style="width: 60px; overflow-x: auto"><p>${LONG}</p></div>`, 0],
  [
    "scrolled within a box that clips",
    `<div style="overflow: hidden; width: 60px"><div style="overflow-x: auto">${LONG}</div></div>`,
    0,
  ],
  [
    "ended by an ellipsis, with a title",
    `<div title="all" style="width: 60px; overflow: hidden; text-overflow: ellipsis">${LONG}</div>`,
    0,
  ],
  ["visually hidden", `<div class="visually-hidden" style="width: 9px; overflow: hidden">${LONG}</div>`, 0],
])("a text that is %s", async (_, content, count) => {
  const { context } = await visits.open("/nowhere");
  const page = await context.newPage();
  await page.setContent(content);
  expect(await cutTexts(page, 1440)).toHaveLength(count);
});
