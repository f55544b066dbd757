/** Statistics of a metric for tests: of nothing measured, but for what a test states. */
import type { Flow } from "../api/types.ts";

type Statistics = Flow["metrics"]["gaps"];

export function someStatistics(change: Partial<Statistics> = {}): Statistics {
  return {
    unit: "",
    sum_unit: "",
    latest: null,
    avg: null,
    min: null,
    max: null,
    sum: null,
    count: null,
    p50: null,
    p95: null,
    p99: null,
    ...change,
  };
}
