import { useMemo } from "react";
import type { FlowAddress } from "@/api/queries";
import type { SeriesLook } from "@/components/chart/look";
import type { ChartMetric } from "@/components/chart/metrics";
import { missingOf } from "@/components/chart/missing";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import type { FlowSeries } from "@/components/chart/useFlowSeries";

export interface ChartFlow extends FlowAddress, SeriesLook {
  key: string;
}

/** One line per flow; the same array while the flows and their looks are the same. */
export function useFlowLines(flows: readonly ChartFlow[]): readonly ChartLine[] {
  const signature = flows.map((flow) => `${flow.key} ${flow.color} ${flow.dash?.join(" ")}`).join("|");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature says whether the flows are still the same
  return useMemo(
    (): ChartLine[] =>
      flows.map(({ key, source, target, color, dash }) => ({
        key,
        label: `${source} → ${target}`,
        color,
        dash,
      })),
    [signature],
  );
}

/** The points of these flows, in their order. */
export function pointsOf(flows: readonly ChartFlow[], series: FlowSeries, metric: ChartMetric): ChartPoints {
  return { ...series, read: () => flows.map(series.read), missing: missingOf(metric.stored) };
}
