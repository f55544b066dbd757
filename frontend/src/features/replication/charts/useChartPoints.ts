import { useQueries, useQuery } from "@tanstack/react-query";
import { useCallback, useMemo, useRef } from "react";
import { type FlowAddress, type SeriesPart, seriesQuery } from "@/api/queries";
import type { StoredSeries } from "@/api/stored-series";
import { type Comparison, movedLater, useEarlierRange } from "@/components/chart/comparison";
import { missingOf } from "@/components/chart/missing";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { useWindow } from "@/components/chart/useFlowSeries";
import type { ChartDefinition, LineDefinition } from "@/features/replication/charts/definitions";
import type { TimeRange } from "@/lib/range";
import { hasValue, mergeSeries, reportedSeries, type Series } from "@/lib/series";
import { useLiveStore } from "@/live/context";
import { flowKey } from "@/live/flow-row";
import type { LiveStore } from "@/live/store";

const NONE: Series = { times: [], values: [] };

interface ComparedPoints extends ChartPoints {
  /** true: the earlier time was read, and nothing was measured then */
  isEarlierEmpty: boolean;
}

/** The points of the lines of a chart and, last, those of the earlier time that it is compared with. */
export function useChartPoints(
  flow: FlowAddress,
  chart: ChartDefinition,
  lines: readonly LineDefinition[],
  range: TimeRange,
  comparison: Comparison | undefined,
  part?: SeriesPart,
): ComparedPoints {
  const store = useLiveStore();
  const window = useWindow(range);
  const metrics = [...new Set(lines.map(({ metric }) => metric))];
  const answers = useQueries({ queries: metrics.map((metric) => seriesQuery(flow, metric, range, part)) });
  const { earlier, isEmpty } = useEarlier(flow, chart.lines[0], range, comparison, part);

  const copied = useCopied(flow, chart, range, part);
  const stored = new Map(metrics.map((metric, place) => [metric, answers[place]?.data]));
  const latest = useRef({ stored, lines, earlier });
  latest.current = { stored, lines, earlier };
  const key = flowKey(flow.source, flow.target);
  const read = useCallback((): readonly Series[] => {
    const { stored, lines, earlier } = latest.current;
    const own = lines.map((line) => {
      const live = range.to_ms === null ? liveOf(store, key, line, window().from_ms) : NONE;
      return pointsOf(chart, line, stored.get(line.metric), live, range.step_ms);
    });
    return earlier === null ? own : [...own, earlier];
  }, [store, key, chart, range, window]);

  const failed = answers.find(({ data, error }) => data === undefined && error !== null);
  return {
    read,
    window,
    isEarlierEmpty: isEmpty,
    missing: missingOf(chart.lines[0].metric, copied, part === undefined),
    isPending: answers.some(({ isPending }) => isPending),
    error: failed?.error ?? null,
    retry: () => {
      for (const answer of answers) void answer.refetch();
    },
    version: Math.max(0, ...answers.map(({ dataUpdatedAt }) => dataUpdatedAt)) + (earlier?.times.length ?? 0),
  };
}

/** The rate of records, for a chart that has values only while records are copied; the chart of records reads it too. */
function useCopied(
  flow: FlowAddress,
  chart: ChartDefinition,
  range: TimeRange,
  part: SeriesPart | undefined,
): (() => Series) | undefined {
  const store = useLiveStore();
  const isOfRecords = chart.lines[0].metric === "replication_latency_ms";
  const { data } = useQuery({
    ...seriesQuery(flow, "records_per_second", range, part),
    enabled: isOfRecords,
  });
  if (!isOfRecords) return undefined;
  return () => {
    const isLive = range.to_ms === null && part === undefined;
    const key = flowKey(flow.source, flow.target);
    const live = isLive ? store.series(key, "records_per_second", Date.now() - range.length_ms) : NONE;
    return mergeSeries(data?.line("avg") ?? NONE, live, data?.step_ms ?? range.step_ms);
  };
}

function liveOf(store: LiveStore, key: string, line: LineDefinition, from_ms: number): Series {
  return line.live === undefined ? NONE : store.series(key, line.live, from_ms);
}

function pointsOf(
  chart: ChartDefinition,
  line: LineDefinition,
  stored: StoredSeries | undefined,
  live: Series,
  step_ms: number,
): Series {
  const points = stored?.line(line.figure) ?? NONE;
  const width_ms = stored?.step_ms ?? step_ms;
  if (chart.every_ms !== undefined) return reportedSeries(points, width_ms, chart.every_ms);
  return line.figure === "max"
    ? mergeSeries(points, live, width_ms, (values) => Math.max(...values))
    : mergeSeries(points, live, width_ms);
}

interface Earlier {
  /** moved to the time of the chart; null: nothing is compared */
  earlier: Series | null;
  isEmpty: boolean;
}

/** The line of the earlier time. */
function useEarlier(
  flow: FlowAddress,
  line: LineDefinition,
  range: TimeRange,
  comparison: Comparison | undefined,
  part: SeriesPart | undefined,
): Earlier {
  const shift_ms = comparison?.shift_ms ?? 0;
  const shifted = useEarlierRange(range, comparison);
  const { data } = useQuery({
    ...seriesQuery(flow, line.metric, shifted, part),
    enabled: comparison !== undefined,
  });
  return useMemo(() => {
    if (comparison === undefined) return { earlier: null, isEmpty: false };
    const earlier = movedLater(data, line.figure, shift_ms);
    return { earlier, isEmpty: data !== undefined && !hasValue(earlier) };
  }, [data, comparison, line, shift_ms]);
}
