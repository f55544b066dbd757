/** The options of uPlot for our look: thin lines, few grid lines, 24-hour times, units on the axis. */
import type uPlot from "uplot";
import { resolvedColor, type SeriesLook } from "@/components/chart/look";
import { type Measure, tickLabels, tickSteps } from "@/lib/format";
import { clockTime, dayAndTime, shortClockTime } from "@/lib/time";

export interface ChartLine extends SeriesLook {
  key: string;
  label: string;
}

export interface Window {
  from_ms: number;
  to_ms: number;
}

export interface ChartSetup {
  element: HTMLElement;
  width: number;
  height: number;
  lines: readonly ChartLine[];
  quantity: Measure;
  isLogarithmic: boolean;
  window: () => Window;
  onZoom: ((window: Window) => void) | undefined;
  plugins: uPlot.Plugin[];
}

const AXIS_FONT = '12px "Inter Variable", system-ui, sans-serif';
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const MIN_DRAG_PX = 8;

export function chartOptions(setup: ChartSetup): uPlot.Options {
  const color = (name: string): string => resolvedColor(`var(--${name})`, setup.element);
  const axis = { stroke: color("text-3"), font: AXIS_FONT, ticks: { show: false } };
  const grid = { stroke: color("grid"), width: 1 };
  return {
    width: setup.width,
    height: setup.height,
    ms: 1,
    padding: [8, 24, 0, 4],
    legend: { show: false },
    plugins: setup.plugins,
    cursor: {
      drag: { x: setup.onZoom !== undefined, y: false, setScale: false, dist: MIN_DRAG_PX },
      sync: { key: "page" },
      points: { size: 7 },
      y: false,
    },
    hooks: { setSelect: [(plot) => zoomTo(plot, setup.onZoom)] },
    scales: {
      x: { time: true, range: () => [setup.window().from_ms, setup.window().to_ms] },
      y: setup.isLogarithmic ? LOGARITHMIC : LINEAR,
    },
    axes: [
      {
        ...axis,
        grid,
        space: 90,
        gap: 10,
        size: 31,
        values: (_plot, splits) => timeLabels(splits, setup.window()),
      },
      {
        ...axis,
        grid,
        space: 44,
        size: (_plot, labels) => labelWidth(labels),
        ...(setup.isLogarithmic
          ? { filter: powersOfTen }
          : { incrs: (_plot, _axis, _low, high) => tickSteps(high, setup.quantity) }),
        // Without data there is no scale.
        values: (plot, splits: readonly (number | null)[]) =>
          hasData(plot) ? valueLabels(splits, setup.quantity) : splits.map(() => ""),
      },
    ],
    series: [{}, ...setup.lines.map((one) => lineOptions(one, setup.element))],
  };
}

function lineOptions(one: ChartLine, element: Element): uPlot.Series {
  const stroke = resolvedColor(one.color, element);
  const dash = one.dash === null ? {} : { dash: one.dash };
  return {
    label: one.label,
    stroke,
    width: 1.75,
    points: { show: true, size: 4, fill: stroke, filter: isolatedPoints },
    ...dash,
  };
}

/** A point between two gaps has no line to either side: without a dot it would be invisible. */
function isolatedPoints(plot: uPlot, place: number): number[] | null {
  const values = plot.data[place] ?? [];
  const known: number[] = [];
  const neighbour = (start: number, step: number): number | null => {
    let at = start + step;
    while (at >= 0 && at < values.length && values[at] === undefined) at += step;
    return values[at] ?? null;
  };
  values.forEach((value, at) => {
    const isAlone = typeof value === "number" && neighbour(at, -1) === null && neighbour(at, 1) === null;
    if (isAlone) known.push(at);
  });
  return known;
}

function hasData(plot: uPlot): boolean {
  return plot.data.slice(1).some((values) => values?.some((value) => typeof value === "number"));
}

const LINEAR: uPlot.Scale = { range: (_plot, low, high) => [Math.min(0, low ?? 0), headroom(high)] };
const LOGARITHMIC: uPlot.Scale = {
  distr: 3,
  range: (_plot, low, high) => [
    10 ** Math.floor(Math.log10(Math.max(low ?? 1, 0.1))),
    10 ** Math.ceil(Math.log10(Math.max(high ?? 10, 1)) + 1e-9),
  ],
};

/** Labels for 1, 10, 100 only; lines between them have none. */
function powersOfTen(_plot: uPlot, splits: number[]): (number | null)[] {
  return splits.map((value) => (Number.isInteger(Math.round(Math.log10(value) * 1e6) / 1e6) ? value : null));
}

/** A line without a label has no value. */
export function valueLabels(splits: readonly (number | null)[], quantity: Measure): string[] {
  const labels = tickLabels(
    splits.filter((value) => value !== null),
    quantity,
  );
  return splits.map((value) => (value === null ? "" : (labels.shift() ?? "")));
}

function headroom(high: number | null): number {
  return high === null || high <= 0 ? 1 : high * 1.1;
}

/** Shorter labels take the room of the longest, so that the axes of a page are aligned. */
const MOST_LETTERS = "2.00k records".length;

export function labelWidth(labels: string[] | null): number {
  const longest = Math.max(MOST_LETTERS, ...(labels ?? []).map((label) => label.length));
  return longest * 6.8 + 16;
}

export function timeLabels(splits: readonly number[], window: Window): string[] {
  const length_ms = window.to_ms - window.from_ms;
  if (length_ms > DAY_MS) return splits.map(dayAndTime);
  // A wide chart has several ticks a minute.
  const [first = 0, second = 0] = splits;
  return splits.map((second - first) % MINUTE_MS === 0 ? shortClockTime : clockTime);
}

function zoomTo(plot: uPlot, onZoom: ((window: Window) => void) | undefined): void {
  if (onZoom === undefined || plot.select.width < MIN_DRAG_PX) return;
  const from_ms = Math.round(plot.posToVal(plot.select.left, "x"));
  const to_ms = Math.round(plot.posToVal(plot.select.left + plot.select.width, "x"));
  plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  onZoom({ from_ms, to_ms });
}
