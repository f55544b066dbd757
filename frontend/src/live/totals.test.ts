import { expect, test } from "vitest";
import { totalsOf } from "@/live/totals";
import { aFlow } from "@/test/builders";

test("a sum over nothing known is unknown", () => {
  expect(totalsOf([aFlow({ lag_offsets: null })]).lag_offsets).toEqual({
    value: null,
    measured: 0,
    expected: 1,
  });
});

test("a sum says of how many flows it is", () => {
  const flows = [aFlow({ target: "a" }), aFlow({ target: "b", lag_offsets: null })];
  expect(totalsOf(flows).lag_offsets).toEqual({ value: 10, measured: 1, expected: 2 });
});

test("a disabled flow is not expected to be measured", () => {
  const flows = [aFlow({ target: "a" }), aFlow({ target: "b", status: "disabled", lag_offsets: null })];
  expect(totalsOf(flows).lag_offsets).toMatchObject({ measured: 1, expected: 1 });
});

test("the worst latency names its flow", () => {
  const slow = aFlow({ target: "b", latency_p95_ms: 900 });
  expect(totalsOf([aFlow({ target: "a" }), slow]).worst_latency).toEqual({ value: 900, flow: slow });
});
