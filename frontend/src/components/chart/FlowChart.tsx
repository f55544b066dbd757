import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from "react";
import type { FlowAddress } from "@/api/queries";
import type { SeriesLook } from "@/components/chart/look";
import type { ChartMetric } from "@/components/chart/metrics";
import type { ChartLine } from "@/components/chart/options";
import type { FlowSeries } from "@/components/chart/useFlowSeries";
import { useSetTimeRange } from "@/components/TimeRangeSelect";
import { latestValue } from "@/lib/series";
import { useFlows, useLiveStore } from "@/live/context";

// The first paint shows numbers; the canvas library follows right after it.
const TimeChart = lazy(() => import("@/components/chart/TimeChart"));

export interface ChartFlow extends FlowAddress, SeriesLook {
  key: string;
}

interface FlowChartProps {
  flows: readonly ChartFlow[];
  metric: ChartMetric;
  series: FlowSeries;
  height: number;
  label: string;
}

/** One metric of several flows over the page's range; dragging zooms in, a double click zooms out. */
export function FlowChart({ flows, metric, series, height, label }: FlowChartProps) {
  const store = useLiveStore();
  const setRange = useSetTimeRange();
  const redraw = useRef<(() => void) | null>(null);
  const signature = flows.map((flow) => `${flow.key} ${flow.color} ${flow.dash !== null}`).join("|");

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

  const subscribe = useCallback(
    (draw: () => void) => {
      redraw.current = draw;
      return store.onTick(draw);
    },
    [store],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: stored points or another range have to be drawn at once
  useEffect(() => redraw.current?.(), [series.version, series.window]);

  return (
    <div className="chart-box">
      <Suspense fallback={<div style={{ height }} />}>
        <TimeChart
          lines={lines}
          read={() => flows.map(series.read)}
          window={series.window}
          format={metric.format}
          subscribe={subscribe}
          height={height}
          label={label}
          onZoom={({ from_ms, to_ms }) => setRange({ from: from_ms, to: to_ms })}
          onReset={() => setRange({})}
        />
      </Suspense>
      {!series.isPending && series.error === null && <NothingMeasured flows={flows} series={series} />}
      {series.error !== null && <ChartError error={series.error} onRetry={series.retry} />}
    </div>
  );
}

/** Explains that a chart is empty because nothing was measured, not because the value was 0. */
function NothingMeasured({ flows, series }: Pick<FlowChartProps, "flows" | "series">) {
  useFlows();
  const hasPoint = flows.some((flow) => latestValue(series.read(flow)) !== null);
  return hasPoint ? null : <p className="chart-none">Nothing measured in this range</p>;
}

/** A strip instead of an error card, because live points are drawn even when stored ones cannot be read. */
function ChartError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return (
    <div className="chart-error">
      <span>Stored points could not be read: {error instanceof Error ? error.message : String(error)}</span>
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconRefresh size={12} aria-hidden />}
        onClick={onRetry}
      >
        Retry
      </Button>
    </div>
  );
}
