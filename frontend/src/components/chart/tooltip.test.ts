import type uPlot from "uplot";
import { expect, test } from "vitest";
import { tooltipPlugin } from "@/components/chart/tooltip";
import { bytesPerSecond } from "@/lib/format";

const LINES = ["low", "none", "high", "middle"].map((label) => ({
  key: label,
  label,
  color: "red",
  dash: null,
}));
/** The values of one time, in another order than they are told; `none` has a gap. */
const DATA = [[1_700_000_000_000], [9e5], [null], [2e8], [1e7]];

/** A plot with the cursor at a place of its points; null: the pointer is elsewhere. */
function plotAt(place: number | null): uPlot {
  const over = document.createElement("div");
  return {
    over,
    data: DATA,
    cursor: { idx: place, left: place === null ? -10 : 20 },
    scales: { x: { min: 1_699_999_990_000, max: 1_700_000_010_000 } },
    valToPos: () => 0,
  } as unknown as uPlot;
}

function tipOf(plot: uPlot): HTMLElement {
  const { hooks } = tooltipPlugin(
    LINES,
    bytesPerSecond,
    () => [],
    () => "No driver reported",
  );
  (hooks.init as (plot: uPlot) => void)(plot);
  (hooks.setCursor as (plot: uPlot) => void)(plot);
  return plot.over.querySelector(".chart-tip") as HTMLElement;
}

test("the lines under the crosshair are sorted by value, the highest first, and a gap is left out", () => {
  const rows = [...tipOf(plotAt(0)).querySelectorAll(".chart-tip-row")];
  expect(rows.map((row) => row.textContent?.replace(/\s/g, " "))).toEqual([
    "high200 MB/s",
    "middle10.0 MB/s",
    "low900 kB/s",
  ]);
});

test("a time without values says why", () => {
  const plot = {
    ...plotAt(0),
    data: [[1_700_000_000_000], [null], [null], [null], [null]],
  } as unknown as uPlot;
  expect(tipOf(plot).querySelector(".chart-tip-none")?.textContent).toBe("No driver reported");
});

test("beside the chart there are no values", () => {
  expect(tipOf(plotAt(null)).hidden).toBe(true);
});
