import { expect, test } from "vitest";
import { orderedBy } from "@/lib/order";

const valuesOf = (isDescending: boolean, ...values: (string | number | null)[]) =>
  orderedBy(values, (value) => value, isDescending);

test("unknown values are last in both directions", () => {
  expect(valuesOf(false, 10, null, 9)).toEqual([9, 10, null]);
  expect(valuesOf(true, 9, null, 10)).toEqual([10, 9, null]);
});

test("texts are in one order, in either case", () => {
  expect(valuesOf(false, "b", "C", "A")).toEqual(["A", "b", "C"]);
});

test("equal rows keep their order, and each value is read once", () => {
  let reads = 0;
  const rows = Array.from({ length: 100 }, (_, place) => ({ place, lag: place % 2 }));
  const ordered = orderedBy(
    rows,
    ({ lag }) => {
      reads += 1;
      return lag;
    },
    true,
  );
  expect(ordered.slice(0, 3).map(({ place }) => place)).toEqual([1, 3, 5]);
  expect(reads).toBe(100);
});
