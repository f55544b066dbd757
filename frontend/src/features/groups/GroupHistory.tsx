import { useQuery } from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import { type FlowAddress, seriesQuery } from "@/api/queries";
import type { Group, MetricName } from "@/api/types";
import { ChartOrTable } from "@/components/chart/ChartOrTable";
import { lookOf } from "@/components/chart/look";
import { ChartTools } from "@/components/chart/menu/ChartTools";
import { useChartSwitch } from "@/components/chart/menu/useChartSwitch";
import { missingOf } from "@/components/chart/missing";
import type { ChartLine } from "@/components/chart/options";
import { useWindow } from "@/components/chart/useFlowSeries";
import { HelpNote } from "@/components/definition/HelpNote";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { reportedSeries, type Series } from "@/lib/series";
import { quantityOf } from "@/lib/units";

const CHART_HEIGHT = 130;
const NO_POINTS: Series = { times: [], values: [] };

/** A group without commits and one whose task is silent have no values alike. */
const NOT_KNOWN = missingOf("checkpoint_latency_ms");

interface HistoryMetric {
  stored: MetricName & ("lag_offsets" | "checkpoint_latency_ms");
  label: string;
  note: string;
  /** what the question mark says */
  meaning: string;
  /** the colour of the same quantity of flows */
  look: number;
}

const METRICS: readonly HistoryMetric[] = [
  {
    stored: "lag_offsets",
    label: "Lag",
    note: "records that the group has not read",
    meaning: "records of the source after the committed offsets of the group",
    look: 3,
  },
  {
    stored: "checkpoint_latency_ms",
    label: "Checkpoint latency",
    note: "from a commit to its checkpoint, the slowest",
    meaning: "time from the commit of the group to its checkpoint on the target",
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
  const { stored, label, note, meaning, look } = metric;
  const id = `${encodeURIComponent(group.group)}.${stored}`;
  const table = useChartSwitch("table", id);
  const log = useChartSwitch("log", id);
  const box = useRef<HTMLDivElement>(null);
  const range = useTimeRange();
  const { data, isPending, error, refetch, dataUpdatedAt } = useQuery(
    seriesQuery(flow, stored, range, { group: group.group }),
  );
  const name = group.group;
  const heading = `${label} of the group ${name}`;
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
    missing: NOT_KNOWN,
  };
  return (
    <figure>
      <figcaption>
        <span>
          {label} <span className="muted">{note}</span>
        </span>
        <span className="group-chart-tools">
          <ChartTools
            name={heading}
            help={<HelpNote name={heading} read={async () => `${label}: ${meaning}.`} />}
            title={[flow.source, flow.target, name, stored].join("-")}
            heading={heading}
            lines={lines}
            points={points}
            box={box}
            table={table}
            log={log}
          />
        </span>
      </figcaption>
      <ChartOrTable
        title={heading}
        box={box}
        isTable={table[0]}
        lines={lines}
        points={points}
        quantity={quantity}
        height={CHART_HEIGHT}
        label={`${heading}, ${range.label.toLowerCase()}`}
        isLogarithmic={log[0]}
      />
    </figure>
  );
}
