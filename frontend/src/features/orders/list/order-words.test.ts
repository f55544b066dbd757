import { expect, test } from "vitest";
import type { Action } from "@/api/types";
import { wordsOf } from "@/features/orders/list/order-words";

test("the rate of a throttle has the unit of the other rates of the page", () => {
  const order = { event: "flow.throttle", detail: "2500000 bytes/s" } as Action;
  expect(wordsOf(order)).toBe("throttle: 2.50\u00a0MB/s");
});
