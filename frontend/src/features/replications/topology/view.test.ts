import { expect, test } from "vitest";
import { CARD, type Layout } from "@/features/replications/topology/routes";
import { flowToShow, isShown, isWide, type View, viewOf } from "@/features/replications/topology/view";
import { aFlow } from "@/test/builders";

const CANVAS = { width: 640, height: 480 };

/** So many clusters in a row, each so far from the next. */
function row(count: number, step: number): Layout {
  const clusters = Object.fromEntries(
    Array.from({ length: count }, (_, place) => [`c${place}`, { x: place * step, y: 0 }]),
  );
  return { clusters, routes: {} };
}

/** Where a cluster's card is drawn, in pixels of the canvas. */
function leftOf(layout: Layout, view: View, alias: string): number {
  return (layout.clusters[alias]?.x ?? Number.NaN) * view.zoom + view.x;
}

test("a small picture is shown whole, in the middle and not enlarged", () => {
  const layout = row(2, 300);
  const view = viewOf(layout, CANVAS, undefined);
  expect(view).toMatchObject({ zoom: 1, isPart: false });
  const right = CANVAS.width - (leftOf(layout, view, "c1") + CARD.width);
  expect(leftOf(layout, view, "c0")).toBeCloseTo(right);
});

test("a small fleet is shown whole in smaller text", () => {
  const layout = row(3, 300);
  const view = viewOf(layout, CANVAS, undefined);
  expect(view.isPart).toBe(false);
  expect(view.zoom).toBeLessThan(0.87);
  expect(leftOf(layout, view, "c0")).toBeGreaterThan(0);
  expect(leftOf(layout, view, "c2") + CARD.width * view.zoom).toBeLessThan(CANVAS.width);
});

test("a small fleet in many columns takes the width of the page, a large one does not", () => {
  expect(isWide(row(3, 260))).toBe(false);
  expect(isWide(row(5, 260))).toBe(true);
  expect(isWide(row(20, 260))).toBe(false);
  const ofPage = { width: 1150, height: 480 };
  expect(viewOf(row(5, 260), ofPage, undefined).isPart).toBe(false);
});

test("a large fleet keeps its text readable and begins at its first cluster", () => {
  const layout = row(20, 300);
  const view = viewOf(layout, CANVAS, undefined);
  expect(view).toMatchObject({ zoom: 0.87, isPart: true });
  expect(leftOf(layout, view, "c0")).toBeGreaterThanOrEqual(0);
});

test.each([
  ["near ends: both are in view", "c8", "c9", ["c8", "c9"]],
  ["far ends: the source is in view", "c3", "c12", ["c3"]],
  ["the last cluster: nothing empty beside it", "c19", "c18", ["c18", "c19"]],
])("a large fleet begins at the flow of %s", (_, source, target, inView) => {
  const layout = row(20, 300);
  const view = viewOf(layout, CANVAS, { source, target });
  for (const alias of inView) {
    expect(leftOf(layout, view, alias)).toBeGreaterThanOrEqual(0);
    expect(leftOf(layout, view, alias) + CARD.width * view.zoom).toBeLessThanOrEqual(CANVAS.width);
  }
  expect(isShown(layout, CANVAS, view, { source, target })).toBe(inView.length === 2);
});

test("the flow to show is the chosen one, else the worst", () => {
  const fine = aFlow({ target: "a" });
  const slow = aFlow({ target: "b", status: "degraded" });
  const dead = aFlow({ target: "c", status: "failed" });
  const flows = [fine, slow, dead];
  expect(flowToShow(flows, fine.key)).toBe(fine);
  expect(flowToShow(flows, undefined)).toBe(dead);
  expect(flowToShow([fine, slow], undefined)).toBe(slow);
  expect(flowToShow([fine], "unknown")).toBeUndefined();
});
