/** Gives flows and clusters the places at which the fewest lines cross. Pure. */
import type { Lane, Layout, Point, Route } from "@/features/replications/topology/routes";

/** What takes the same room in another order. */
export interface Places {
  /** the clusters of each column, from top to bottom */
  groups: readonly (readonly string[])[];
  /** by the key of the flow */
  lanes: ReadonlyMap<string, Lane>;
}

interface Counted extends Places {
  crossings: number;
}

type Pair = readonly [string, string];
type Count = (places: Places) => Counted;

/** With more of them, turning columns over takes long and changes little. */
const MOST_PAIRS = 100;
const MOST_ROUNDS = 4;

/** Exchanges lanes of equal length and turns columns over as long as fewer lines cross; `routed` draws the lines. */
export function untangled(places: Places, routed: (places: Places) => Layout): Places {
  const counted: Count = (each) => ({ ...each, crossings: crossingsOf(Object.values(routed(each).routes)) });
  const pairs = alike(places.lanes);
  let best = withExchanges(counted(places), pairs, counted);
  for (const group of places.groups.filter(({ length }) => length > 1)) {
    if (best.crossings === 0 || pairs.length > MOST_PAIRS) return best;
    const groups = best.groups.map((each) => (each === group ? [...each].reverse() : each));
    const turned = withExchanges(counted({ ...best, groups }), pairs, counted);
    if (turned.crossings < best.crossings) best = turned;
  }
  return best;
}

/** Exchanges lanes as long as fewer lines cross. */
function withExchanges(places: Counted, pairs: readonly Pair[], counted: Count): Counted {
  let best = places;
  for (let round = 0; round < MOST_ROUNDS && best.crossings > 0; round += 1) {
    const before = best.crossings;
    for (const pair of pairs) {
      const exchanged = counted({ ...best, lanes: exchange(best.lanes, pair) });
      if (exchanged.crossings < best.crossings) best = exchanged;
    }
    if (best.crossings === before) break;
  }
  return best;
}

/** The flows whose lanes turn at the same places. */
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

function exchange(lanes: Places["lanes"], [one, other]: Pair): Places["lanes"] {
  const [first, second] = [lanes.get(one), lanes.get(other)];
  if (first === undefined || second === undefined) return lanes;
  return new Map(lanes).set(one, second).set(other, first);
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
