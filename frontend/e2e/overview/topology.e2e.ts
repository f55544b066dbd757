/** The topology of the overview: one selection with the table, the chosen line before the others, causes on hover. */
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { aliasesOf, fleetOf } from "../bench/fleets.ts";
import { visiting } from "../visits.ts";

const visits = visiting();
const FLOWS = 6;
const HEALTHY_LINES = '.topology-edge[data-tone="ok"] .react-flow__edge-interaction';

/** The width of each line, by the key of its flow. */
function widths(page: Page): Promise<Record<string, string>> {
  return page.locator(".topology-edge .react-flow__edge-path").evaluateAll((paths) => {
    const widthOf = (path: Element): [string, string] => [path.id, getComputedStyle(path).strokeWidth];
    return Object.fromEntries(paths.map(widthOf));
  });
}

/** The flows whose line is thicker than the thinnest. */
async function thickest(page: Page): Promise<string[]> {
  const found = Object.entries(await widths(page)).map(([key, width]) => [key, parseFloat(width)] as const);
  const least = Math.min(...found.map(([, width]) => width));
  return found.filter(([, width]) => width > least).map(([key]) => key);
}

async function openTopology(): Promise<Page> {
  const { page } = await visits.open("/replications");
  await expect.poll(() => page.locator(".topology-edge").count(), { timeout: 15_000 }).toBe(FLOWS);
  return page;
}

interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

function isInside(box: Box | null, outer: Box | null): boolean {
  if (box === null || outer === null) return false;
  const isWide = box.x >= outer.x && box.x + box.width <= outer.x + outer.width;
  return isWide && box.y >= outer.y && box.y + box.height <= outer.y + outer.height;
}

test("topology and table share one selection, which the address holds", async () => {
  const { page, complaints } = await visits.open("/replications");
  const edge = page.getByRole("button", { name: /^us-east to analytics, healthy/ });
  await edge.focus();
  await page.keyboard.press("Enter");

  await expect.poll(() => new URL(page.url()).searchParams.get("flow")).toContain("us-east->analytics");
  expect(await edge.getAttribute("aria-pressed")).toBe("true");
  expect(await page.locator("tr[data-selected]").innerText()).toContain("analytics");
  expect(await page.getByRole("button", { name: /us-west to us-east, healthy/ }).isVisible()).toBe(true);
  expect(await page.getByRole("button", { name: /us-east to us-west, healthy/ }).isVisible()).toBe(true);

  await page.getByRole("button", { name: "Show us-west to us-east in the topology" }).press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("flow")).toContain("us-west->us-east");
  expect(complaints).toEqual([]);
});

test("the line of the chosen flow, and no other, is thicker", async () => {
  const page = await openTopology();
  expect(await thickest(page)).toEqual([]);
  await page.getByRole("button", { name: /^us-east to analytics, healthy/ }).click();
  await expect.poll(() => thickest(page)).toEqual(["us-east->analytics"]);
  await page.getByRole("button", { name: /^us-west to us-east, healthy/ }).click();
  await expect.poll(() => thickest(page)).toEqual(["us-west->us-east"]);
});

test("the pointer over a label frames it, and the label says why its flow is not healthy", async () => {
  const page = await openTopology();
  const label = page.getByRole("button", { name: /^eu-central to analytics, degraded/ });
  const frame = () => label.evaluate((element) => getComputedStyle(element).boxShadow);
  expect(await frame()).toBe("none");
  await label.hover();
  await expect.poll(frame).not.toBe("none");
  expect(await label.getAttribute("title")).toBe(
    "eu-central to analytics, degraded: 1 of 6 tasks failed. " +
      "The target refuses a record of orders, partition 3: it is too large.",
  );
  const healthy = page.getByRole("button", { name: /^us-east to us-west, healthy/ });
  expect(await healthy.getAttribute("title")).toBe("us-east to us-west, healthy");
});

test("the text of a large fleet stays readable, and the picture says that it can be moved", async () => {
  visits.service.faults.flows = fleetOf(50);
  visits.service.faults.aliases = aliasesOf(visits.service.faults.flows);
  const { page } = await visits.open("/replications");
  const showAll = page.getByRole("button", { name: "show all 10 clusters" });
  await showAll.waitFor();
  const label = page.locator(".topology-label").first();
  const size = () =>
    label.evaluate((element) => {
      const viewport = getComputedStyle(element.closest(".react-flow__viewport") ?? element);
      return new DOMMatrix(viewport.transform).a * parseFloat(getComputedStyle(element).fontSize);
    });
  await expect.poll(size).toBeGreaterThanOrEqual(10);
  const cards = page.locator(".topology-cluster");
  const inView = async () => {
    const canvas = await page.locator(".topology-canvas").boundingBox();
    const boxes = await Promise.all((await cards.all()).map((card) => card.boundingBox()));
    return boxes.filter((box) => isInside(box, canvas)).length;
  };
  expect(await inView()).toBeGreaterThan(0);
  expect(await inView()).toBeLessThan(10);
  await showAll.click();
  await expect.poll(inView).toBe(10);
});

test("a small fleet in five columns is shown whole at 1440 pixels", async () => {
  const [some] = fleetOf(1);
  if (some === undefined) throw new Error("a fleet of one flow has it");
  const pairs = ["ab", "bc", "cd", "de", "af", "fg", "bh", "hd"];
  visits.service.faults.flows = pairs.map((pair) => ({
    ...some,
    source: pair[0] ?? "",
    target: pair[1] ?? "",
  }));
  visits.service.faults.aliases = aliasesOf(visits.service.faults.flows);
  const { page } = await visits.open("/replications", "light", { width: 1440, height: 1000 });
  const inView = async () => {
    const canvas = await page.locator(".topology-canvas").boundingBox();
    const boxes = await Promise.all(
      (await page.locator(".topology-cluster").all()).map((card) => card.boundingBox()),
    );
    return boxes.filter((box) => isInside(box, canvas)).length;
  };
  await expect.poll(inView, { timeout: 15_000 }).toBe(8);
  expect(await page.getByRole("button", { name: /^show all/ }).count()).toBe(0);
});

test("a flow that is chosen in the table is brought into view in the picture of a large fleet", async () => {
  visits.service.faults.flows = fleetOf(50);
  visits.service.faults.aliases = aliasesOf(visits.service.faults.flows);
  const { page } = await visits.open("/replications");
  await page.getByRole("button", { name: "show all 10 clusters" }).waitFor();
  const cardOf = (alias: string) => page.locator(".topology-cluster", { hasText: alias }).boundingBox();
  const canvas = () => page.locator(".topology-canvas").boundingBox();
  for (const [source, target] of [
    ["kafka-0", "kafka-1"],
    ["kafka-9", "kafka-8"],
  ]) {
    await page.getByRole("button", { name: `Show ${source} to ${target} in the topology` }).click();
    await expect.poll(async () => isInside(await cardOf(source ?? ""), await canvas())).toBe(true);
  }
});

test("among many flows the line under the pointer has its label, and a click selects it", async () => {
  visits.service.faults.flows = fleetOf(70);
  visits.service.faults.aliases = aliasesOf(visits.service.faults.flows);
  const { page } = await visits.open("/replications");
  await page.locator(HEALTHY_LINES).first().waitFor({ state: "attached" });
  const middle = await page.locator(HEALTHY_LINES).evaluateAll((paths) => {
    const all = (paths as SVGPathElement[]).flatMap((path) =>
      [0.2, 0.35, 0.5, 0.65].map((part) => {
        const { x, y } = path
          .getPointAtLength(path.getTotalLength() * part)
          .matrixTransform(path.getScreenCTM() ?? undefined);
        return { x, y, isOver: document.elementFromPoint(x, y) === path };
      }),
    );
    return all.find(({ isOver }) => isOver) ?? { x: 0, y: 0 };
  });
  const before = await page.locator(".topology-label").count();
  await page.mouse.move(middle.x, middle.y);
  await expect.poll(() => page.locator(".topology-label[data-over]").count()).toBe(1);
  expect(await page.locator(".topology-label").count()).toBe(before + 1);
  await page.mouse.click(middle.x, middle.y);
  await page.waitForURL((url) => url.searchParams.has("flow"));
});

test("the card of a cluster says if the cluster is reached", async () => {
  const { page } = await visits.open("/replications");
  const card = page.locator(".topology-cluster", { hasText: "us-east" });
  await card.getByRole("img", { name: "reachable" }).waitFor();
});

test("the card of a cluster says where it is, and the topology names the clusters without flows", async () => {
  visits.service.faults.aliases = [...visits.service.faults.aliases, "spare"];
  const { page } = await visits.open("/replications");
  const iconOf = (alias: string) =>
    page.locator(".topology-cluster", { hasText: alias }).locator("svg").first();
  await expect.poll(() => iconOf("analytics").getAttribute("aria-label")).toBe("external");
  expect(await iconOf("us-east").getAttribute("aria-label")).toBe("co-located");
  const link = page.getByRole("link", { name: "1 cluster without flows" });
  expect(await link.getAttribute("title")).toBe("spare");
});
