import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { manySeriesQuery } from "@/api/queries";
import { COMPARISONS, type Comparison, movedLater, useEarlierRange } from "@/components/chart/comparison";
import type { ChartFlow } from "@/components/chart/flow-lines";
import type { ChartMetric } from "@/components/chart/metrics";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { useAddressState } from "@/components/table/useAddressState";
import type { TimeRange } from "@/lib/range";
import { hasValue } from "@/lib/series";

interface EarlierFlows {
  comparison: Comparison | undefined;
  onCompare: (comparison: Comparison | undefined) => void;
  /** the lines of now and, if a comparison is chosen, of the earlier time */
  lines: readonly ChartLine[];
  points: ChartPoints;
  /** what the lines of the earlier time are; empty: there are none */
  words: string;
}

const DOTS: [number, number] = [2, 4];

/** Adds to a chart of flows their lines of an earlier time, in their colours; nothing is read unless it is chosen. */
export function useEarlierFlows(
  flows: readonly ChartFlow[],
  metric: ChartMetric,
  range: TimeRange,
  own: { lines: readonly ChartLine[]; points: ChartPoints },
): EarlierFlows {
  const [held, hold] = useAddressState("compare", "");
  const comparison = COMPARISONS.find(({ value }) => value === held);
  const { data, dataUpdatedAt } = useQuery({
    ...manySeriesQuery(metric.stored, useEarlierRange(range, comparison)),
    enabled: comparison !== undefined,
  });
  const keys = own.lines.map(({ key }) => key).join(" ");
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys say whether the flows are still the same
  const earlier = useMemo(
    () => flows.map(({ key }) => movedLater(data?.get(key), metric.pick, comparison?.shift_ms ?? 0)),
    [keys, data, metric, comparison],
  );
  const lines = useMemo(
    () =>
      comparison === undefined
        ? own.lines
        : [
            ...own.lines,
            ...own.lines.map((line) => ({
              ...line,
              key: `${line.key} earlier`,
              label: `${line.label}, ${comparison.label}`,
              dash: DOTS,
            })),
          ],
    [own.lines, comparison],
  );
  const onCompare = (next: Comparison | undefined) => hold(next?.value ?? "");
  if (comparison === undefined) return { comparison, onCompare, ...own, words: "" };
  const isEmpty = data !== undefined && !earlier.some(hasValue);
  return {
    comparison,
    onCompare,
    lines,
    points: {
      ...own.points,
      read: () => [...own.points.read(), ...earlier],
      version: own.points.version + dataUpdatedAt,
    },
    words: isEmpty ? `Nothing was measured ${comparison.label}` : `Dotted lines: ${comparison.label}`,
  };
}
