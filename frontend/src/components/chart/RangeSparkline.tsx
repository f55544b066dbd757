import { memo } from "react";
import type { StoredFigure, StoredSeries } from "@/api/stored-series";
import { Sparkline } from "@/components/chart/Sparkline";
import { useTimeRange } from "@/components/TimeRangeSelect";
import type { TimeRange } from "@/lib/range";
import { downsample, mergeSeries, type Series } from "@/lib/series";
import { useNearView } from "@/lib/view/near-view";
import { useLiveStore, useNow } from "@/live/context";
import type { RingMetric } from "@/live/rings";

interface RangeSparklineProps {
  /** the flow, or all flows together */
  flowKey: string;
  live: RingMetric;
  stored: StoredSeries | undefined;
  pick: StoredFigure;
  points: number;
  width: number;
  height: number;
  color: string;
  fluid?: boolean;
}

const NONE: Series = { times: [], values: [] };
const SLOWEST_MS = 15_000;
/** Out of view. */
const FAR_MS = 60_000;

/** A quarter of the time of a point: sooner, the line would look the same. */
export function redrawEvery(range: TimeRange, points: number): number {
  return Math.min(SLOWEST_MS, Math.max(1_000, range.length_ms / points / 4));
}

/** A small line of one metric over the page's range, stored and live. It renders at its own pace. */
export const RangeSparkline = memo(function RangeSparkline(props: RangeSparklineProps) {
  const { flowKey, live, stored, pick, points, ...look } = props;
  const store = useLiveStore();
  const range = useTimeRange();
  const { ref, isNear } = useNearView<SVGSVGElement>();
  useNow(isNear ? redrawEvery(range, points) : FAR_MS);
  const to_ms = range.to_ms ?? Date.now();
  const from_ms = range.from_ms ?? to_ms - range.length_ms;
  const fresh = range.to_ms === null ? store.series(flowKey, live, from_ms) : NONE;
  const merged = mergeSeries(stored?.line(pick) ?? NONE, fresh, stored?.step_ms ?? range.step_ms);
  return <Sparkline values={downsample(merged, from_ms, to_ms, points)} ref={ref} {...look} />;
});
