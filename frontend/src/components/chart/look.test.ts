import { expect, test } from "vitest";
import { LOOKS, lookOf, looksByKey } from "@/components/chart/look";

const words = ({ color, dash }: ReturnType<typeof lookOf>): string =>
  `${color} ${dash?.join(" ") ?? "solid"}`;

test("many lines all look different", () => {
  const looks = Array.from({ length: LOOKS }, (_, place) => words(lookOf(place)));
  expect(LOOKS).toBeGreaterThanOrEqual(30);
  expect(new Set(looks).size).toBe(LOOKS);
});

test("a flow keeps its look when the flows come in another order", () => {
  const keys = ["a->b", "b->a", "c->a"];
  expect(looksByKey([...keys].reverse())).toEqual(looksByKey(keys));
});
