import { useQuery } from "@tanstack/react-query";
import { useCallback, useRef } from "react";
import { type FlowAddress, manySeriesQuery, seriesQuery } from "@/api/queries";
import type { StoredSeries } from "@/api/stored-series";
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

/** The newest value of each key, kept while what it was made of is the same: chart and legend read the same lines. */
class Latest<Value> {
  private readonly made = new Map<string, { of: readonly unknown[]; value: Value }>();

  get(key: string, of: readonly unknown[], make: () => Value): Value {
    const before = this.made.get(key);
    if (before?.of.every((part, place) => part === of[place])) return before.value;
    const value = make();
    this.made.set(key, { of, value });
    return value;
  }
}

const NO_FLOW: FlowAddress = { source: "", target: "" };
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
  const isAlone = flows.length === 1;
  const one = useQuery({
    ...seriesQuery(flows[0] ?? NO_FLOW, metric.stored, range),
    enabled: isAlone,
  });
  const many = useQuery({ ...manySeriesQuery(metric.stored, range), enabled: flows.length > 1 });
  const answer = isAlone ? one : many;
  const storedOf = (key: string): StoredSeries | undefined => (isAlone ? one.data : many.data?.get(key));
  const byKey = useRef(storedOf);
  byKey.current = storedOf;
  const first = flows[0] === undefined ? undefined : storedOf(flowKey(flows[0].source, flows[0].target));
  const step_ms = first?.step_ms ?? range.step_ms;

  const window = useWindow(range);
  const known = useRef(new Latest<Series>());

  const read = useCallback(
    (flow: FlowAddress): Series => {
      const key = flowKey(flow.source, flow.target);
      const stored = byKey.current(key)?.line(metric.pick) ?? NO_POINTS;
      const merged = (): Series => {
        const live = range.to_ms === null ? store.series(key, metric.live, window().from_ms) : NO_POINTS;
        return mergeSeries(stored, live, step_ms);
      };
      return known.current.get(key, [stored, store.lastUpdate(), metric, range, step_ms], merged);
    },
    [store, metric, range, step_ms, window],
  );

  return {
    read,
    window,
    isPending: answer.isPending && flows.length > 0,
    error: answer.data === undefined ? answer.error : null,
    retry: () => void answer.refetch(),
    version: answer.dataUpdatedAt,
  };
}
