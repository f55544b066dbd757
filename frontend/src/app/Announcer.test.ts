import { expect, test } from "vitest";
import { statusChanges } from "@/app/Announcer";
import { aFlow } from "@/test/builders";

test("a change of status is said with its reason", () => {
  const now = aFlow({ status: "degraded", reason: "1 of 2 tasks failed" });
  expect(statusChanges([aFlow()], [now])).toEqual(["us-east to eu-central: degraded, 1 of 2 tasks failed"]);
});

test("numbers that tick are not said", () => {
  expect(statusChanges([aFlow()], [aFlow({ lag_offsets: 99 })])).toEqual([]);
});

test("a flow that is new is not a change", () => {
  expect(statusChanges([], [aFlow()])).toEqual([]);
});
