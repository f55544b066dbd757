import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { type FlowAddress, seriesQuery } from "@/api/queries";
import type { Group, MetricName } from "@/api/types";
import { lookOf } from "@/components/chart/look";
import type { ChartLine } from "@/components/chart/options";
import { SeriesChart } from "@/components/chart/SeriesChart";
import { useWindow } from "@/components/chart/useFlowSeries";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { reportedSeries, type Series } from "@/lib/series";
import { quantityOf } from "@/lib/units";

const CHART_HEIGHT = 130;
const NO_POINTS: Series = { times: [], values: [] };

interface HistoryMetric {
  stored: MetricName & ("lag_offsets" | "checkpoint_latency_ms");
  label: string;
  note: string;
  /** the colour of the same quantity of flows */
  look: number;
}

const METRICS: readonly HistoryMetric[] = [
  { stored: "lag_offsets", label: "Lag", note: "records that the group has not read", look: 3 },
  {
    stored: "checkpoint_latency_ms",
    label: "Checkpoint latency",
    note: "from a commit to its checkpoint, the slowest",
    look: 1,
  },
];

interface GroupHistoryProps {
  flow: FlowAddress;
  group: Group;
}

/** The lag and the checkpoint latency of a group over the page's range. */
export function GroupHistory({ flow, group }: GroupHistoryProps) {
  return (
    <div className="group-history">
      {METRICS.map((metric) => (
        <HistoryChart key={metric.stored} flow={flow} group={group} metric={metric} />
      ))}
    </div>
  );
}

function HistoryChart({ flow, group, metric }: GroupHistoryProps & { metric: HistoryMetric }) {
  const { stored, label, note, look } = metric;
  const range = useTimeRange();
  const { data, isPending, error, refetch, dataUpdatedAt } = useQuery(
    seriesQuery(flow, stored, range, { group: group.group }),
  );
  const name = group.group;
  const lines = useMemo((): ChartLine[] => [{ key: name, label: name, ...lookOf(look) }], [name, look]);
  const series =
    data === undefined ? NO_POINTS : reportedSeries(data.line("max"), data.step_ms, group.interval_ms);
  const quantity = quantityOf(stored);
  const points = {
    read: () => [series],
    window: useWindow(range),
    isPending,
    error: data === undefined ? error : null,
    retry: () => void refetch(),
    version: dataUpdatedAt,
  };
  return (
    <figure>
      <figcaption>
        {label} <span className="muted">{note}</span>
      </figcaption>
      <SeriesChart
        lines={lines}
        points={points}
        quantity={quantity}
        height={CHART_HEIGHT}
        label={`${label} of the group ${name}, ${range.label.toLowerCase()}`}
      />
    </figure>
  );
}
