import { expect, test } from "vitest";
import { edgeLabel, edgeText, graphOf, groupsOf, trafficOf } from "@/features/replications/topology/graph";
import { layoutOf } from "@/features/replications/topology/layout";
import { CARD, curveOf, type Layout, pathOf } from "@/features/replications/topology/routes";
import { crossingsOf } from "@/features/replications/topology/untangle";
import type { FlowRow } from "@/live/flow-row";

const row = (key: string, bytes_per_second: number | null = null): FlowRow => {
  const [source = "", target = ""] = key.split("->");
  return { key, source, target, bytes_per_second } as FlowRow;
};

const graph = (...keys: string[]) => graphOf(keys.map((key) => row(key)));

test("two directions between two clusters are two edges, and the clusters stand above each other", () => {
  const { clusters, routes } = layoutOf(graph("a->b", "b->a", "a->c"));

  expect(Object.keys(routes).sort()).toEqual(["a->b", "a->c", "b->a"]);
  expect(clusters.a?.x).toBe(clusters.b?.x);
  expect(routes["a->b"]?.label.x).not.toBe(routes["b->a"]?.label.x);
  expect((clusters.c?.x ?? 0) - (clusters.a?.x ?? 0)).toBeGreaterThan(CARD.width);
});

test("a cluster shares its place with one partner only", () => {
  const mesh = ["a", "b", "c"].flatMap((x) =>
    ["a", "b", "c"].filter((y) => y !== x).map((y) => `${x}->${y}`),
  );

  expect(groupsOf(graph(...mesh)).map((group) => group.length)).toEqual([2, 1]);
});

test("cards never overlap", () => {
  const names = Array.from({ length: 14 }, (_, index) => `kafka-${index}`);
  const keys = names.flatMap((source, at) =>
    [1, 3, 5].map((step) => `${source}->${names[(at + step) % names.length]}`),
  );
  const places = Object.values(layoutOf(graph(...keys)).clusters);

  for (const [at, one] of places.entries()) {
    for (const other of places.slice(at + 1)) {
      const isApart = Math.abs(one.x - other.x) >= CARD.width || Math.abs(one.y - other.y) >= CARD.height;
      expect(isApart).toBe(true);
    }
  }
});

test("every flow of a large fleet has a route that begins and ends at its clusters", () => {
  const keys = Array.from({ length: 200 }, (_, n) => `c${n % 40}->c${(n * 7 + 3 + Math.floor(n / 40)) % 40}`);
  const unique = [...new Set(keys)].filter((key) => key.split("->")[0] !== key.split("->")[1]);
  const { clusters, routes } = layoutOf(graph(...unique));

  expect(Object.keys(routes)).toHaveLength(unique.length);
  for (const key of unique) {
    const card = clusters[key.split("->")[0] ?? ""];
    const start = routes[key]?.points[0];
    expect(start?.y).toBeGreaterThanOrEqual(card?.y ?? 0);
    expect(start?.y).toBeLessThanOrEqual((card?.y ?? 0) + CARD.height);
  }
});

const SIX = graph("a->b", "b->a", "a->c", "a->d", "c->d", "b->d");

test("the lines of a small fleet do not cross, not even the two directions of a pair in different columns", () => {
  const west = ["us-west->us-east", "us-east->us-west", "us-west->ap-south", "us-west->analytics"];
  const east = ["us-east->eu-central", "eu-central->us-east", "us-east->analytics", "eu-central->analytics"];
  const others = ["ap-south->us-east", "ap-south->analytics", "lab->analytics", "payments-1->payments-2"];
  const mesh = graph(...west, ...east, ...others);

  for (const small of [SIX, mesh]) expect(crossingsOf(Object.values(layoutOf(small).routes))).toBe(0);
});

/** The flows whose line is under the middle of this label. */
function linesUnder(label: { x: number; y: number }, { routes }: Layout): string[] {
  return Object.entries(routes)
    .filter(([, { points }]) =>
      curveOf(points).some(({ x, y }) => Math.abs(x - label.x) < 36 && Math.abs(y - label.y) < 12),
    )
    .map(([key]) => key);
}

test("a label is on its own line, and on no other", () => {
  const layout = layoutOf(SIX);

  for (const [key, { points, label }] of Object.entries(layout.routes)) {
    const isStraight = points[0]?.x === points[1]?.x;
    if (!isStraight) expect(linesUnder(label, layout)).toEqual([key]);
    else expect(linesUnder(label, layout).filter((other) => other !== key)).toEqual([]);
  }
});

test("lines reach a side of a card at different heights", () => {
  const { routes } = layoutOf(graph("a->z", "b->z", "c->z", "z->d", "a->d"));
  const ends = ["a->z", "b->z", "c->z"].map((key) => routes[key]?.points.at(-1)?.y);

  expect(new Set(ends).size).toBe(3);
});

test("traffic without a measured flow is unknown and not zero", () => {
  const rows = [row("a->b", 5), row("c->b", 7), row("b->d", null)];

  expect(trafficOf("b", rows)).toEqual({ into: 12, from: null });
});

test("a line within a column is straight and others leave at right angles", () => {
  expect(
    pathOf([
      { x: 1, y: 1 },
      { x: 1, y: 9 },
    ]),
  ).toBe("M 1 1 L 1 9");
  expect(
    pathOf([
      { x: 0, y: 0 },
      { x: 10, y: 8 },
    ]),
  ).toBe("M 0 0 C 5 0 5 8 10 8");
});

test("the label of a flow in a range in the past is its rate, and its status is named as that of now", () => {
  const paused = { ...row("a->b"), status: "paused" } as FlowRow;
  expect(edgeLabel(paused, false)).toBe("Paused");
  expect(edgeLabel(paused, true)).toBe("Not measured");
  expect(edgeLabel({ ...paused, bytes_per_second: 0 }, true)).toMatch(/^0/);
  expect(edgeText(paused, true)).toBe("a to b, now paused");
});

test("a flow that is not healthy is told with its cause, a healthy one without", () => {
  const degraded = { ...row("a->b"), status: "degraded", reason: "1 of 2 tasks failed" } as FlowRow;
  expect(edgeText(degraded, false)).toBe("a to b, degraded: 1 of 2 tasks failed");
  expect(edgeText({ ...degraded, status: "healthy" }, false)).toBe("a to b, healthy");
});
