import { expect, test } from "vitest";
import { placesOf } from "@/components/chart/menu/image";

const line = (label: string) => ({ key: label, label, color: "var(--series-1)", dash: null });

test("lines are named side by side, and below when there is no room", () => {
  const places = placesOf([line("one"), line("two"), line("three")], 120, () => 20);
  expect(places.map(({ x, row }) => [x, row])).toEqual([
    [0, 0],
    [0, 1],
    [0, 2],
  ]);
  const wide = placesOf([line("one"), line("two"), line("three")], 200, () => 20);
  expect(wide.map(({ x, row }) => [x, row])).toEqual([
    [0, 0],
    [74, 0],
    [0, 1],
  ]);
});
