import { expect, test } from "vitest";
import type { Action } from "@/api/types";
import { placeOf, wordsOf } from "@/features/orders/list/order-words";

test("the rate of a throttle has the unit of the other rates of the page", () => {
  const order = { event: "flow.throttle", detail: "2500000 bytes/s" } as Action;
  expect(wordsOf(order)).toBe("Throttle: 2.50\u00a0MB/s");
});

test("the order and its place begin with a capital letter, but not the name of a topic", () => {
  const order = { event: "flow.hold", detail: "", topic: "", partition: null, task: null } as Action;
  expect(wordsOf(order)).toBe("Pause");
  expect(placeOf(order)).toBe("The flow");
  expect(placeOf({ ...order, task: 3 })).toBe("Source task 3");
  expect(placeOf({ ...order, topic: "orders" })).toBe("orders");
});
