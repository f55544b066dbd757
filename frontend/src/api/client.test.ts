import { expect, test } from "vitest";
import { wholeOf } from "@/api/client";

test("a whole list has the rows of all pages, and the rest of the last one", async () => {
  const asked: object[] = [];
  const pages = [
    { items: [1, 2], next_cursor: "c", as_of_ms: 1 },
    { items: [3], next_cursor: null, as_of_ms: 2 },
  ] as const;
  const whole = await wholeOf(async (from) => {
    asked.push(from);
    const page = pages[asked.length - 1] ?? pages[1];
    return { ...page, items: [...page.items] as number[] };
  });

  expect(whole).toEqual({ items: [1, 2, 3], next_cursor: null, as_of_ms: 2 });
  expect(asked).toEqual([{}, { cursor: "c" }]);
});
