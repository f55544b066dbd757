import { expect, test } from "vitest";
import type { ListedFlow } from "@/api/types";
import { THROUGHPUT } from "@/components/chart/metrics";
import { charted, MAX_LINES, rankBy, worstOf } from "@/features/replications/highest";
import { aFlow } from "@/test/builders";

// The first flows are the fastest now, the last ones were in the past.
const FLOWS = Array.from({ length: MAX_LINES + 1 }, (_, place) =>
  aFlow({ target: `c${place}`, bytes_per_second: 100 - place }),
);
const PAST = new Map(
  FLOWS.map(({ key }, place) => [
    key,
    { metrics: { bytes_per_second: { avg: place, max: 0 } } } as unknown as ListedFlow,
  ]),
);
const targets = (flows: readonly { target: string }[]) => flows.map(({ target }) => target);

test("the highest flows of now are drawn", () => {
  expect(targets(charted(FLOWS, rankBy(THROUGHPUT, null)))).toEqual(targets(FLOWS.slice(0, -1)));
});

test("of a range in the past those are drawn that were the highest then", () => {
  expect(targets(charted(FLOWS, rankBy(THROUGHPUT, PAST)))).toEqual(targets(FLOWS.slice(1)));
});

test("the worst latency of a range in the past names its flow", () => {
  const listed = [7, null, 9, 8].map(
    (p95, place) =>
      ({ source: `c${place}`, metrics: { replication_latency_ms: { p95 } } }) as unknown as ListedFlow,
  );
  expect(worstOf(listed)).toMatchObject({ flow: { source: "c2" }, value: 9 });
  expect(worstOf(listed.slice(1, 2))).toBeNull();
});
