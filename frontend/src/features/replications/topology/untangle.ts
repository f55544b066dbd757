/** Gives flows and clusters the places at which the fewest lines cross. Pure. */
import type { Lane, Layout, Point, Route } from "@/features/replications/topology/routes";

/** With more of them, turning columns over takes long and changes little. */
const MOST_PAIRS = 100;

/**
 * Exchanges lanes of equal length and turns columns over as long as fewer lines cross. Both take the same room in
 * either way. `routed` draws the lines of what `groups` and `lanes` hold.
 */
export function untangle(groups: string[][], lanes: Map<string, Lane>, routed: () => Layout): void {
  const pairs = alike(lanes);
  const count = () => crossingsOf(Object.values(routed().routes));
  let least = exchanged(lanes, pairs, count);
  for (const group of groups.filter(({ length }) => length > 1)) {
    if (least === 0 || pairs.length > MOST_PAIRS) return;
    const before = [...lanes];
    group.reverse();
    const crossings = exchanged(lanes, pairs, count);
    if (crossings < least) least = crossings;
    else {
      group.reverse();
      for (const [key, lane] of before) lanes.set(key, lane);
    }
  }
}

type Pair = [string, string];

const MOST_ROUNDS = 4;

/** Exchanges lanes as long as fewer lines cross; returns how many still do. */
function exchanged(lanes: Map<string, Lane>, pairs: readonly Pair[], count: () => number): number {
  let least = count();
  for (let round = 0; round < MOST_ROUNDS && least > 0; round += 1) {
    const before = least;
    for (const [one, other] of pairs) {
      exchange(lanes, one, other);
      const crossings = count();
      if (crossings < least) least = crossings;
      else exchange(lanes, one, other);
    }
    if (least === before) break;
  }
  return least;
}

function alike(lanes: ReadonlyMap<string, Lane>): Pair[] {
  const shapeOf = ({ points }: Lane) => points.map(({ x }) => Math.round(x)).join(" ");
  const all = [...lanes].map(([key, lane]) => ({ key, shape: shapeOf(lane) }));
  return all.flatMap(({ key, shape }, place) =>
    all
      .slice(place + 1)
      .filter((other) => other.shape === shape)
      .map((other): Pair => [key, other.key]),
  );
}

function exchange(lanes: Map<string, Lane>, one: string, other: string): void {
  const [first, second] = [lanes.get(one), lanes.get(other)];
  if (first === undefined || second === undefined) return;
  lanes.set(one, second);
  lanes.set(other, first);
}

/** The number of places at which two lines cross. */
export function crossingsOf(routes: readonly Route[]): number {
  let crossings = 0;
  routes.forEach(({ points }, place) => {
    for (const other of routes.slice(place + 1)) crossings += crossingsBetween(points, other.points);
  });
  return crossings;
}

function crossingsBetween(one: readonly Point[], other: readonly Point[]): number {
  let crossings = 0;
  for (let i = 1; i < one.length; i += 1) {
    for (let j = 1; j < other.length; j += 1) {
      if (doCross(one[i - 1], one[i], other[j - 1], other[j])) crossings += 1;
    }
  }
  return crossings;
}

function doCross(a?: Point, b?: Point, c?: Point, d?: Point): boolean {
  if (a === undefined || b === undefined || c === undefined || d === undefined) return false;
  return sideOf(a, b, c) * sideOf(a, b, d) < 0 && sideOf(c, d, a) * sideOf(c, d, b) < 0;
}

const sideOf = (a: Point, b: Point, c: Point) => (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
