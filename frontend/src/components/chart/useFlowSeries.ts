import { useQueries } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { type FlowAddress, seriesQuery } from "@/api/queries";
import type { ChartMetric } from "@/components/chart/metrics";
import type { Window } from "@/components/chart/options";
import type { TimeRange } from "@/lib/range";
import { mergeSeries, type Series } from "@/lib/series";
import { useLiveStore } from "@/live/context";
import { flowKey } from "@/live/flow-row";

export interface FlowSeries {
  /** the line of a flow at this moment: stored points and, while the range ends now, live ones */
  read: (flow: FlowAddress) => Series;
  window: () => Window;
  isPending: boolean;
  error: unknown;
  retry: () => void;
  /** changes whenever stored points have come */
  version: number;
}

const NO_POINTS: Series = { times: [], values: [] };

/** Returns what says the part of time that a chart shows at this moment; another function for another range. */
export function useWindow(range: TimeRange): () => Window {
  return useCallback((): Window => {
    const to_ms = range.to_ms ?? Date.now();
    return { from_ms: range.from_ms ?? to_ms - range.length_ms, to_ms };
  }, [range]);
}

export function useFlowSeries(
  flows: readonly FlowAddress[],
  metric: ChartMetric,
  range: TimeRange,
): FlowSeries {
  const store = useLiveStore();
  const answers = useQueries({ queries: flows.map((flow) => seriesQuery(flow, metric.stored, range)) });
  const byKey = useRef(new Map<string, Series>());
  byKey.current = new Map(
    flows.map((flow, place) => [
      flowKey(flow.source, flow.target),
      answers[place]?.data?.[metric.pick] ?? NO_POINTS,
    ]),
  );
  const step_ms = answers.find((answer) => answer.data !== undefined)?.data?.step_ms ?? range.step_ms;

  const window = useWindow(range);

  const read = useCallback(
    (flow: FlowAddress): Series => {
      const key = flowKey(flow.source, flow.target);
      const stored = byKey.current.get(key) ?? NO_POINTS;
      const live = range.to_ms === null ? store.series(key, metric.live, window().from_ms) : NO_POINTS;
      return mergeSeries(stored, live, step_ms);
    },
    [store, metric, range, step_ms, window],
  );

  const failed = answers.find((answer) => answer.error !== null && answer.data === undefined);
  return {
    read,
    window,
    isPending: answers.some((answer) => answer.isPending),
    error: failed?.error ?? null,
    retry: () => {
      for (const answer of answers) void answer.refetch();
    },
    version: answers.reduce((sum, answer) => sum + answer.dataUpdatedAt, 0),
  };
}
