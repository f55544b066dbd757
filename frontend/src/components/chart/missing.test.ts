import { expect, test } from "vitest";
import { missingOf } from "@/components/chart/missing";
import { whyMissing } from "@/lib/format";

const LATENCY = "replication_latency_ms";
const rates = (...values: (number | null)[]) => {
  const times = values.map((_, place) => 1_000 * place);
  return () => ({ times, values });
};

test("a range without records reads differently from one without metrics", () => {
  expect(missingOf(LATENCY, rates(0, 0, null))(null)).toBe("No record was copied in this range");
  expect(missingOf(LATENCY, rates(null))(null)).toBe("No metrics in this range: no driver reported");
  expect(missingOf(LATENCY, rates())(null)).toBe("No metrics in this range: no driver reported");
  expect(missingOf(LATENCY, rates(0, 5))(null)).toBe("Nothing measured in this range");
  expect(missingOf("bytes_per_second")(null)).toBe("No metrics in this range: no driver reported");
  expect(missingOf("bytes_per_second", undefined, false)(null)).toBe("Nothing measured in this range");
  expect(missingOf("checkpoint_latency_ms")(null)).toBe("Nothing measured in this range");
});

test("a time without a value says whether a driver reported then", () => {
  const missing = missingOf(LATENCY, rates(0, null, 7));
  expect(missing(300)).toBe("No record was copied");
  expect(missing(1_200)).toBe("No metrics: no driver reported");
  expect(missing(9_000)).toBe("No measurement");
});

test("a number that is unknown says whether nothing was copied or no driver reports", () => {
  expect(whyMissing(LATENCY, 0)).toBe("no record was copied");
  expect(whyMissing(LATENCY, null)).toBe("no metrics: no driver reports");
  expect(whyMissing("checkpoint_latency_ms", 0)).toBe("not measured");
});
