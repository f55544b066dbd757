import { expect, test } from "vitest";
import { METRIC_UNITS } from "@/api/schema-values";
import { labelWidth, timeLabels } from "@/components/chart/options";
import { joined } from "@/lib/format";
import { type AnyMetric, quantityOf } from "@/lib/units";

test("the labels of every metric take the same room, so that the axes of a page are aligned", () => {
  const shares = [0, 0.5, 1];
  const values = [...shares, 2_000, 12_500, 200_000, 2_050_000, 99_900_000, 1e9];
  const labels = (Object.keys(METRIC_UNITS) as AnyMetric[]).flatMap((metric) =>
    (METRIC_UNITS[metric] === "ratio" ? shares : values).map((value) => joined(quantityOf(metric)(value))),
  );

  expect(labels).toContain("2.00k\u00a0records");
  expect(new Set(labels.map((label) => labelWidth([label]))).size).toBe(1);
});

test("no two ticks of the time axis have the same label", () => {
  const window = { from_ms: 0, to_ms: 600_000 };
  for (const step_ms of [30_000, 60_000, 300_000]) {
    const labels = timeLabels([0, step_ms, 2 * step_ms], window);
    expect(new Set(labels).size).toBe(3);
  }
});
