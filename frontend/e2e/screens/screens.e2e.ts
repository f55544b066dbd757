/** Pictures of every route and tab in both themes at four widths; `make screenshots` puts them on one sheet. */
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { SCHEMES, visiting } from "../visits.ts";

const SHOTS = process.env.SRM_SCREENS;
const FLOW = "/replications/eu-central/analytics";
const SCREENS: Record<string, string> = {
  replications: "/replications",
  "replications-past": "/replications?from=now-2h",
  "replications-no-match": "/replications?q=nothing",
  "new-flow": "/replications/new",
  flow: FLOW,
  "flow-topics": `${FLOW}?tab=topics&open=orders`,
  "flow-denied-topics": `${FLOW}?tab=topics&state=denied`,
  "flow-groups": `${FLOW}?tab=groups`,
  "flow-tasks": `${FLOW}?tab=tasks`,
  "flow-events": `${FLOW}?tab=events`,
  "flow-configuration": `${FLOW}?tab=configuration`,
  topic: `${FLOW}/topics/orders`,
  record: `${FLOW}/topics/orders/record?partition=3&offset=48000001`,
  "record-none": `${FLOW}/topics/orders/record`,
  clusters: "/clusters",
  cluster: "/clusters/analytics",
  "new-cluster": "/clusters/new",
  drivers: "/drivers",
  configuration: "/configuration",
  "configuration-keys": "/configuration/keys",
  "configuration-transfer": "/configuration/transfer",
  "configuration-history": "/configuration/history",
  "not-found": "/nowhere",
};
const SIZES = [
  { width: 320, height: 700 },
  { width: 390, height: 844 },
  { width: 1440, height: 1000 },
  { width: 2560, height: 1300 },
];

const visits = visiting();

/** Until no request is under way and the canvases are drawn. */
async function settle(page: Page): Promise<void> {
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page
    .getByRole("progressbar")
    .first()
    .waitFor({ state: "detached", timeout: 15_000 })
    .catch(() => {});
  await page.waitForTimeout(500);
}

test
  .skipIf(SHOTS === undefined)
  .each(SCHEMES.flatMap((scheme) => Object.entries(SCREENS).map(([name, path]) => ({ scheme, name, path }))))(
  "$name in the $scheme theme is no wider than the screen",
  { timeout: 120_000 },
  async ({ scheme, name, path }) => {
    mkdirSync(SHOTS ?? "", { recursive: true });
    const { page } = await visits.open(path, scheme);
    const wider: number[] = [];
    for (const size of SIZES) {
      await page.setViewportSize(size);
      await settle(page);
      await page.screenshot({ path: `${SHOTS}/${name}_${scheme}_${size.width}.png`, fullPage: true });
      const width = await page.evaluate(() => document.documentElement.scrollWidth);
      if (width > size.width) wider.push(size.width);
    }
    expect(wider).toEqual([]);
  },
);
