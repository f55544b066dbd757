import { expect, test } from "vitest";
import type { ListedFlow } from "@/api/types";
import { DEFINITIONS } from "@/components/definition/definitions";
import { statisticIn } from "@/components/table/columns/statistic";
import { CHARTS } from "@/features/replication/charts/definitions";
import {
  DEFAULT_SORT,
  FLOW_COLUMNS,
  flowColumns,
  headedColumns,
  matchesFilter,
  readingOf,
  sortedFlows,
  whyUnknown,
} from "@/features/replications/table/columns";
import { flowsAsCsv, flowsAsJson } from "@/features/replications/table/download";
import { resolveRange } from "@/lib/range";
import { LAG_TIME } from "@/lib/units";
import { capitalized } from "@/lib/words";
import { aFlow } from "@/test/builders";

const FACTS = {
  metrics: {
    bytes_per_second: { avg: 400, min: 100, max: 900, p95: 800 },
    lag_ms: { avg: 1200, max: 5000 },
    gaps: { sum: 2 },
  },
  labels: { team: "payments" },
  owner: '=HYPERLINK("x")',
  criticality: "high",
  revisions: { is_applied: false, rejected: [] },
  proven_until_ms: 1_700_000_000_000,
} as unknown as ListedFlow;

const row = (statistic: "now" | "avg" | "min" | "max" | "p95") => ({
  flow: aFlow({ bytes_per_second: 7 }),
  facts: FACTS,
  statistic,
});

test.each([
  ["now", 7],
  ["avg", 400],
  ["max", 900],
  ["p95", 800],
] as const)("a number with a live value shows the chosen statistic: %s", (statistic, value) => {
  const reading = { metric: "bytes_per_second", live: "bytes_per_second" } as const;
  expect(readingOf(row(statistic), reading)).toBe(value);
});

test("a number without a live value shows the average now, and one of a fixed figure always that", () => {
  expect(readingOf(row("now"), { metric: "lag_ms" })).toBe(1200);
  expect(readingOf(row("max"), { metric: "gaps", figure: "sum" })).toBe(2);
});

test("what REST has not answered yet is unknown and not 0", () => {
  expect(readingOf({ ...row("max"), facts: undefined }, { metric: "lag_ms" })).toBeNull();
});

test("the usual latency follows the statistic, in its heading too", () => {
  const latencies = (statistic: "now" | "max") =>
    headedColumns(undefined, statistic).filter(({ label }) => label.startsWith("Latency"));
  expect(latencies("now").map(({ label }) => label)).toEqual(["Latency p95"]);
  expect(latencies("max").map(({ label }) => label)).toEqual(["Latency max"]);
  const metrics = { replication_latency_ms: { max: 90, p95: 60 } };
  const slow = { ...row("max"), facts: { metrics } as unknown as ListedFlow };
  expect(latencies("max").map(({ value }) => value(slow))).toEqual([90]);
  expect(flowColumns("p95").at(-1)?.value(slow)).toBe(60);
});

test("the lag in time has the definition of the registry of metrics in its column and its chart", () => {
  const column = FLOW_COLUMNS.find(({ id }) => id === "lag_time");
  expect(LAG_TIME).toBe(DEFINITIONS.lag_ms);
  expect(column?.hint).toContain(`${capitalized(LAG_TIME)}. `);
  expect(CHARTS.find(({ id }) => id === "lag-time")?.note).toBe(LAG_TIME);
});

test("what is loading is not loaded, and not unmeasured", () => {
  const loading = { ...row("now"), facts: undefined };
  expect(whyUnknown(loading, { metric: "lag_ms" })).toBe("not loaded");
  expect(whyUnknown(loading, { metric: "lag_offsets", live: "lag_offsets" })).toBe("not measured");
  expect(whyUnknown(row("now"), { metric: "lag_ms" })).toBe("not measured");
});

test("a range in the past offers no present value", () => {
  const past = resolveRange({ from: 1_700_000_000_000, to: 1_700_000_600_000 }, 1_700_009_000_000);
  expect(statisticIn("now", past)).toBe("avg");
  expect(statisticIn("p95", past)).toBe("p95");
  expect(statisticIn("nonsense", resolveRange({}, 0))).toBe("now");
});

test.each(["payments", "team=payments us-east", "high"])("the filter reads labels and owners: %s", (q) => {
  expect(matchesFilter(row("now"), q, "")).toBe(true);
  expect(matchesFilter({ ...row("now"), facts: undefined }, "team=payments", "")).toBe(false);
});

test("a download has exact values, and no text that a spreadsheet computes", () => {
  const columns = flowColumns("throughput,proven,owner");
  expect(flowsAsCsv([row("avg")], columns)).toBe(
    'flow,throughput,proven,owner\r\nus-east->eu-central,400,2023-11-14T22:13:20.000Z,"\'=HYPERLINK(""x"")"\r\n',
  );
  expect(JSON.parse(flowsAsJson([row("min")], columns))[0]).toMatchObject({ throughput: 100 });
});

test("flows that need attention are first by default, and equal ones come by throughput", () => {
  const flows = [
    aFlow({ target: "slow", bytes_per_second: 1 }),
    aFlow({ target: "fast", bytes_per_second: 9 }),
    aFlow({ target: "degraded", status: "degraded", bytes_per_second: 5 }),
    aFlow({ target: "failed", status: "failed", bytes_per_second: null }),
  ];
  const rows = flows.map((flow) => ({ ...row("now"), flow }));
  const targets = sortedFlows(rows, DEFAULT_SORT).map(({ flow }) => flow.target);
  expect(targets).toEqual(["failed", "degraded", "fast", "slow"]);
});
