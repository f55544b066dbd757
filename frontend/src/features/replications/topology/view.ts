/** The part of a topology that its card shows: all of it, or as much as can be read. Pure. */
import { CARD, type Layout, type Point } from "@/features/replications/topology/routes";
import { toneOf } from "@/lib/status";
import type { FlowRow } from "@/live/flow-row";

export interface Size {
  width: number;
  height: number;
}

/** The picture is moved by x and y pixels after it is scaled. */
export interface View {
  x: number;
  y: number;
  zoom: number;
  /** true: some clusters are outside */
  isPart: boolean;
}

/** Around the picture, as a part of its size. */
const MARGIN = 0.04;
/** Below this zoom the text of cards and labels is too small to read. */
const LEAST_ZOOM = 0.87;
/** A small fleet is shown whole, in smaller text if need be. */
const SMALL = { clusters: 8, least_zoom: 0.7 };

/** Wider than half a screen of 1440 pixels shows in text that can be read. */
const HALF_SCREEN = 860;

/** True for a small fleet in so many columns that it needs the width of the page. */
export function isWide(layout: Layout): boolean {
  return isSmall(layout) && boxOf(layout).width > HALF_SCREEN;
}

const isSmall = ({ clusters }: Layout) => Object.keys(clusters).length <= SMALL.clusters;

/** All of the picture if it can be read, else the part with the flow, or that with the first cluster. */
export function viewOf(layout: Layout, canvas: Size, flow: Ends | undefined): View {
  const box = boxOf(layout);
  const least = isSmall(layout) ? SMALL.least_zoom : LEAST_ZOOM;
  const fitting = Math.min(
    1,
    canvas.width / (box.width * (1 + 2 * MARGIN)),
    canvas.height / (box.height * (1 + 2 * MARGIN)),
  );
  const zoom = Math.max(fitting, least);
  const middle = placeOf(layout, canvas, zoom, flow);
  const shift = (size: number, start: number, length: number, at: number): number => {
    const room = size / zoom;
    const margin = length * MARGIN;
    if (length + 2 * margin <= room) return (room - length) / 2 - start;
    const [first, last] = [start - margin, start + length + margin - room];
    return -Math.min(Math.max(at - room / 2, first), last);
  };
  return {
    x: zoom * shift(canvas.width, box.x, box.width, middle.x),
    y: zoom * shift(canvas.height, box.y, box.height, middle.y),
    zoom,
    isPart: fitting < least,
  };
}

/** The clusters that a flow joins. */
export interface Ends {
  source: string;
  target: string;
}

/** The flow that the picture shows first if it cannot show all: the chosen one, or one that is not healthy. */
export function flowToShow(flows: readonly FlowRow[], selected: string | undefined): Ends | undefined {
  const chosen = flows.find(({ key }) => key === selected);
  const ofTone = (tone: string) => flows.find(({ status }) => toneOf(status) === tone);
  return chosen ?? ofTone("bad") ?? ofTone("warn");
}

/** True when both ends of the flow are in the view. */
export function isShown(layout: Layout, canvas: Size, view: Omit<View, "isPart">, flow: Ends): boolean {
  return [flow.source, flow.target].every((alias) => {
    const corner = layout.clusters[alias];
    if (corner === undefined) return true;
    const x = corner.x * view.zoom + view.x;
    const y = corner.y * view.zoom + view.y;
    const [width, height] = [CARD.width * view.zoom, CARD.height * view.zoom];
    return x >= 0 && y >= 0 && x + width <= canvas.width && y + height <= canvas.height;
  });
}

/** The point in the middle of the view: between both ends of the flow if the view holds them, else its source. */
function placeOf(layout: Layout, canvas: Size, zoom: number, flow: Ends | undefined): Point {
  const middleOf = ({ x, y }: Point): Point => ({ x: x + CARD.width / 2, y: y + CARD.height / 2 });
  const [source, target] = [layout.clusters[flow?.source ?? ""], layout.clusters[flow?.target ?? ""]];
  if (source === undefined || target === undefined) {
    const corners = Object.values(layout.clusters).sort((a, b) => a.x - b.x || a.y - b.y);
    return middleOf(corners[0] ?? { x: 0, y: 0 });
  }
  const isNear =
    Math.abs(source.x - target.x) + CARD.width <= canvas.width / zoom &&
    Math.abs(source.y - target.y) + CARD.height <= canvas.height / zoom;
  if (!isNear) return middleOf(source);
  return middleOf({ x: (source.x + target.x) / 2, y: (source.y + target.y) / 2 });
}

/** The room of all cards and lines; a layout without clusters has some, so that nothing is divided by 0. */
function boxOf({ clusters, routes }: Layout): Point & Size {
  const [first, ...others] = [
    ...Object.values(clusters).flatMap(({ x, y }) => [
      { x, y },
      { x: x + CARD.width, y: y + CARD.height },
    ]),
    ...Object.values(routes).flatMap(({ points }) => points),
  ];
  if (first === undefined) return { x: 0, y: 0, ...CARD };
  let [left, top, right, bottom] = [first.x, first.y, first.x, first.y];
  for (const { x, y } of others) {
    [left, right] = [Math.min(left, x), Math.max(right, x)];
    [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
  }
  return { x: left, y: top, width: right - left, height: bottom - top };
}
