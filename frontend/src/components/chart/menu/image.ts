/** A chart as an image that explains itself: heading, range and the look of each line, on the ground of the card. */
import { resolvedColor } from "@/components/chart/look";
import type { ChartLine } from "@/components/chart/options";

export interface ImageText {
  heading: string;
  range: string;
  lines: readonly ChartLine[];
}

const FONT = '"Inter Variable", system-ui, sans-serif';
const EDGE = 16;
const HEAD = 56;
const ROW = 22;
const MARK = 26;
const GAP = 20;

interface Place {
  line: ChartLine;
  x: number;
  row: number;
}

/** Where each line is named below the chart: from left to right, in as many rows as needed. Pure. */
export function placesOf(
  lines: readonly ChartLine[],
  width: number,
  widthOf: (text: string) => number,
): Place[] {
  let x = 0;
  let row = 0;
  return lines.map((line) => {
    const length = MARK + 8 + widthOf(line.label);
    if (x > 0 && x + length > width) {
      x = 0;
      row += 1;
    }
    const place = { line, x, row };
    x += length + GAP;
    return place;
  });
}

/** Draws the chart of `source` with its text; null: the browser draws none. */
export function imageOf(
  source: HTMLCanvasElement,
  { heading, range, lines }: ImageText,
): HTMLCanvasElement | null {
  const ratio = source.width / source.clientWidth;
  const image = document.createElement("canvas");
  const context = image.getContext("2d");
  if (context === null) return null;
  const color = (name: string) => resolvedColor(`var(--${name})`, source);
  const small = `12px ${FONT}`;
  context.font = small;
  const places = placesOf(lines, source.clientWidth, (text) => context.measureText(text).width);
  const rows = 1 + Math.max(0, ...places.map(({ row }) => row));
  image.width = source.width + 2 * EDGE * ratio;
  image.height = source.height + (HEAD + rows * ROW + EDGE) * ratio;
  context.scale(ratio, ratio);
  context.fillStyle = color("surface");
  context.fillRect(0, 0, image.width, image.height);
  context.fillStyle = color("text");
  context.font = `600 15px ${FONT}`;
  context.fillText(heading, EDGE, 26);
  context.fillStyle = color("text-3");
  context.font = small;
  context.fillText(range, EDGE, 44);
  context.drawImage(source, EDGE, HEAD, source.clientWidth, source.clientHeight);
  const top = HEAD + source.clientHeight + ROW / 2;
  for (const { line, x, row } of places) {
    const y = top + row * ROW;
    context.strokeStyle = resolvedColor(line.color, source);
    context.lineWidth = 2;
    context.setLineDash(line.dash ?? []);
    context.beginPath();
    context.moveTo(EDGE + x, y);
    context.lineTo(EDGE + x + MARK, y);
    context.stroke();
    context.fillStyle = color("text-2");
    context.fillText(line.label, EDGE + x + MARK + 8, y + 4);
  }
  return image;
}
