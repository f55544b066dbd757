/** The values under the crosshair, highest first; drawn outside React because it follows the pointer. */
import type uPlot from "uplot";
import { type ChartMark, type MarksReader, marksAt } from "@/components/chart/marks";
import type { Missing } from "@/components/chart/missing";
import type { ChartLine } from "@/components/chart/options";
import { joined, type Measure } from "@/lib/format";
import { clockTime, dayAndTime } from "@/lib/time";

const DAY_MS = 86_400_000;
const DISTANCE_PX = 14;
/** Finds the nearest sample of a line, because lines are sampled at different times. */
const REACH = 8;

export function tooltipPlugin(
  lines: readonly ChartLine[],
  quantity: Measure,
  readMarks: MarksReader,
  missing: Missing,
): uPlot.Plugin {
  const box = document.createElement("div");
  box.className = "chart-tip";
  box.setAttribute("aria-hidden", "true");
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => plot.over.append(box),
      setCursor: (plot) => {
        const place = plot.cursor.idx;
        const isOver = place != null && (plot.cursor.left ?? -1) >= 0;
        box.hidden = !isOver;
        if (!isOver) return;
        fill(plot, box, place, lines, quantity, missing);
        box.append(...markRows(marksAt(plot, plot.cursor.left ?? 0, readMarks())));
      },
    },
  };
}

function fill(
  plot: uPlot,
  box: HTMLElement,
  place: number,
  lines: readonly ChartLine[],
  quantity: Measure,
  missing: Missing,
): void {
  const rows = lines
    .map((one, index) => ({ one, value: nearest(plot.data[index + 1] ?? [], place) }))
    .filter((row): row is { one: ChartLine; value: number } => row.value !== null)
    .sort((a, b) => b.value - a.value);
  const time_ms = plot.data[0][place] ?? 0;
  const length_ms = (plot.scales.x?.max ?? 0) - (plot.scales.x?.min ?? 0);
  const when = element(
    "div",
    "chart-tip-time",
    length_ms > DAY_MS ? dayAndTime(time_ms) : clockTime(time_ms),
  );
  box.replaceChildren(when, ...rows.map((row) => tipRow(row.one, joined(quantity(row.value)))));
  if (rows.length === 0) box.append(element("div", "chart-tip-none", missing(time_ms)));
  const left = plot.cursor.left ?? 0;
  const isRight = left > plot.over.clientWidth / 2;
  box.style.left = isRight ? "" : `${left + DISTANCE_PX}px`;
  box.style.right = isRight ? `${plot.over.clientWidth - left + DISTANCE_PX}px` : "";
}

const MOST_MARKS = 4;

/** What happened near the cursor, the newest first. */
function markRows(marks: readonly ChartMark[]): HTMLElement[] {
  const rows = marks
    .slice(-MOST_MARKS)
    .reverse()
    .map(({ time_ms, tone, text }) => {
      const row = element("div", "chart-tip-event", `${clockTime(time_ms)} ${text}`);
      row.dataset.tone = tone;
      return row;
    });
  const others = marks.length - rows.length;
  return others > 0 ? [...rows, element("div", "chart-tip-event", `and ${others} more`)] : rows;
}

function nearest(values: ArrayLike<number | null | undefined>, place: number): number | null {
  for (let away = 0; away <= REACH; away++) {
    for (const at of [place - away, place + away]) {
      const value = values[at];
      if (value !== undefined) return value;
    }
  }
  return null;
}

function tipRow(one: ChartLine, value: string): HTMLElement {
  const row = element("div", "chart-tip-row", "");
  row.append(
    lineMark(one),
    element("span", "chart-tip-name", one.label),
    element("span", "chart-tip-value", value),
  );
  return row;
}

const SVG = "http://www.w3.org/2000/svg";

/** The line as it is drawn: among many, two have one colour and another dash. */
function lineMark({ color, dash }: ChartLine): SVGElement {
  const mark = document.createElementNS(SVG, "svg");
  mark.setAttribute("class", "legend-mark");
  mark.setAttribute("viewBox", "0 0 26 4");
  mark.style.color = color;
  const line = document.createElementNS(SVG, "line");
  for (const [name, value] of [
    ["x2", "26"],
    ["y1", "2"],
    ["y2", "2"],
    ["stroke-dasharray", dash?.join(" ") ?? "none"],
  ] as const)
    line.setAttribute(name, value);
  mark.append(line);
  return mark;
}

function element(tag: string, className: string, text: string): HTMLElement {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
}
