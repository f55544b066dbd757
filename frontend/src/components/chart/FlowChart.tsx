import { useMemo } from "react";
import type { FlowAddress } from "@/api/queries";
import type { SeriesLook } from "@/components/chart/look";
import type { ChartMetric } from "@/components/chart/metrics";
import type { ChartLine } from "@/components/chart/options";
import { SeriesChart } from "@/components/chart/SeriesChart";
import type { FlowSeries } from "@/components/chart/useFlowSeries";

export interface ChartFlow extends FlowAddress, SeriesLook {
  key: string;
}

interface FlowChartProps {
  flows: readonly ChartFlow[];
  metric: ChartMetric;
  series: FlowSeries;
  height: number;
  label: string;
  isLogarithmic?: boolean;
}

/** One metric of several flows over the page's range. */
export function FlowChart({ flows, metric, series, height, label, isLogarithmic = false }: FlowChartProps) {
  const signature = flows.map((flow) => `${flow.key} ${flow.color} ${flow.dash?.join(" ")}`).join("|");

  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature says whether the flows are still the same
  const lines = useMemo(
    (): ChartLine[] =>
      flows.map(({ key, source, target, color, dash }) => ({
        key,
        label: `${source} → ${target}`,
        color,
        dash,
      })),
    [signature],
  );

  const points = { ...series, read: () => flows.map(series.read) };
  return (
    <SeriesChart
      lines={lines}
      points={points}
      format={metric.format}
      height={height}
      label={label}
      isLogarithmic={isLogarithmic}
    />
  );
}
