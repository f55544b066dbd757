import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { Suspense, useCallback, useEffect, useRef } from "react";
import { ApiProblem, reasonOf } from "@/api/problem";
import { useOutage } from "@/components/answer/outage";
import type { MarksReader } from "@/components/chart/marks";
import type { Missing } from "@/components/chart/missing";
import type { ChartLine, Window } from "@/components/chart/options";
import { useZoom } from "@/components/TimeRangeSelect";
import type { Measure } from "@/lib/format";
import { hasValue, type Series } from "@/lib/series";
import { lazyPart } from "@/lib/view/lazy-part";
import { useFlows, useLiveStore } from "@/live/context";

// The first paint shows numbers; the canvas library follows right after it.
const TimeChart = lazyPart(() => import("@/components/chart/TimeChart"));

/** The points of a chart's lines, and whether they could be read. */
export interface ChartPoints {
  /** the points of each line at this moment, in the order of the lines */
  read: () => readonly Series[];
  window: () => Window;
  isPending: boolean;
  error: unknown;
  retry: () => void;
  /** changes whenever stored points have come */
  version: number;
  /** why there is no value */
  missing: Missing;
}

export interface SeriesChartProps {
  /** must be the same array while the lines are the same: a new array rebuilds the chart */
  lines: readonly ChartLine[];
  points: ChartPoints;
  /** must be the same function while the metric is the same */
  quantity: Measure;
  height: number;
  label: string;
  isLogarithmic?: boolean;
  /** what happened at the times of the chart; another function when that changes */
  marks?: MarksReader;
}

/** Lines over the page's range; dragging zooms in, a double click zooms out. */
export function SeriesChart(props: SeriesChartProps) {
  const { lines, points, quantity, height, label, isLogarithmic, marks } = props;
  const store = useLiveStore();
  const { zoomIn, zoomOut } = useZoom();
  const redraw = useRef<(() => void) | null>(null);

  const subscribe = useCallback(
    (draw: () => void) => {
      redraw.current = draw;
      return store.onTick(draw);
    },
    [store],
  );

  // biome-ignore lint/correctness/useExhaustiveDependencies: stored points or another range have to be drawn at once
  useEffect(() => redraw.current?.(), [points.version, points.window, marks]);

  return (
    <div className="chart-box">
      <Suspense fallback={<div style={{ height }} />}>
        <TimeChart
          lines={lines}
          read={points.read}
          window={points.window}
          quantity={quantity}
          subscribe={subscribe}
          height={height}
          label={label}
          isLogarithmic={isLogarithmic}
          marks={marks}
          missing={points.missing}
          onZoom={({ from_ms, to_ms }) => zoomIn({ from: from_ms, to: to_ms })}
          onReset={zoomOut}
        />
      </Suspense>
      {!points.isPending && points.error === null && <NothingMeasured {...points} />}
      {points.error !== null && <ChartError error={points.error} onRetry={points.retry} />}
    </div>
  );
}

/** Explains why a chart is empty, which is not because the value was 0. */
function NothingMeasured({ read, missing }: Pick<ChartPoints, "read" | "missing">) {
  useFlows();
  const hasPoint = read().some(hasValue);
  return hasPoint ? null : <p className="chart-none">{missing(null)}</p>;
}

/** A strip instead of an error card, because live points are drawn even when stored ones cannot be read. */
function ChartError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const outage = useOutage();
  const reason = reasonOf(error);
  const isForbidden = error instanceof ApiProblem && error.status === 403;
  const title = isForbidden ? "Your role cannot see stored points" : "Stored points could not be read";
  if (outage?.reason === reason || isForbidden) return <div className="chart-error">{title}</div>;
  return (
    <div className="chart-error">
      <span>
        {title}: {reason}
      </span>
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
