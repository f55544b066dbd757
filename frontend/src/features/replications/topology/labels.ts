/** Places the label of each flow on its own line, away from the lines of others. Pure. */
import { CARD, curveOf, type Layout, type Point, type Route } from "@/features/replications/topology/routes";

/** Half the size of a label, with a little room around it. */
const HALF = { width: 40, height: 14 };

/** A label that covers another line, another label or a card moves along its own line to the nearest free place. */
export function labelled({ clusters, routes }: Layout): Layout["routes"] {
  const lines = Object.entries(routes).map(([key, route]) => ({ key, route, curve: curveOf(route.points) }));
  const placed = new Map<string, Point>(lines.map(({ key, route }) => [key, route.label]));
  const cards = Object.values(clusters).map(({ x, y }) => ({
    x: x + CARD.width / 2,
    y: y + CARD.height / 2,
  }));
  const coveredAt = (key: string, label: Point): number => {
    const others = lines.filter((line) => line.key !== key);
    const crossed = others.filter(({ curve }) => isCovered(curve, label)).length;
    const labels = others.filter((line) =>
      isNear(placed.get(line.key), label, HALF.width, HALF.height),
    ).length;
    const onCards = cards.filter((card) => isNear(card, label, CARD.width / 2, CARD.height / 2)).length;
    return crossed + 6 * labels + 2 * onCards;
  };
  for (const { key, route, curve } of lines) {
    let best = { label: route.label, covered: coveredAt(key, route.label) };
    const nearest = [...curve].sort((a, b) => distance(a, route.label) - distance(b, route.label));
    for (const label of nearest) {
      if (best.covered === 0) break;
      const covered = coveredAt(key, label);
      if (covered < best.covered) best = { label, covered };
    }
    placed.set(key, best.label);
  }
  return Object.fromEntries(
    lines.map(({ key, route }): [string, Route] => [
      key,
      { ...route, label: placed.get(key) ?? route.label },
    ]),
  );
}

const isCovered = (curve: readonly Point[], label: Point) =>
  curve.some(({ x, y }) => Math.abs(x - label.x) < HALF.width && Math.abs(y - label.y) < HALF.height);

/** true: the label touches a box of that half size around `place` */
function isNear(place: Point | undefined, label: Point, width: number, height: number): boolean {
  if (place === undefined) return false;
  return (
    Math.abs(place.x - label.x) < width + HALF.width && Math.abs(place.y - label.y) < height + HALF.height
  );
}

const distance = (a: Point, b: Point) => Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
