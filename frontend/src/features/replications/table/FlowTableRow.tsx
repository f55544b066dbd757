import { IconRoute } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { memo } from "react";
import { manySeriesQuery } from "@/api/queries";
import { Sparkline } from "@/components/chart/Sparkline";
import { Figure, Unknown } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { StatusBadge } from "@/components/StatusBadge";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { FlowReason } from "@/features/replications/FlowReason";
import { useSelectedFlow } from "@/features/replications/topology/TopologyCard";
import { bytesPerSecond, formatCount, milliseconds, recordsPerSecond } from "@/lib/format";
import { downsample, mergeSeries, type Series } from "@/lib/series";
import { toneOf } from "@/lib/status";
import { duration, isoTime } from "@/lib/time";
import { useFlow, useLiveStore } from "@/live/context";
import { areTasksKnown, type FlowRow } from "@/live/flow-row";

const count = (value: number) => ({ value: formatCount(value), unit: "" });
const age = (value: number) => ({
  value: duration(value).replace(/ .*/, ""),
  unit: duration(value).replace(/^\d+ /, ""),
});

/** The row of one flow; it renders only when this flow changes. */
export const FlowTableRow = memo(function FlowTableRow({ flowKey }: { flowKey: string }) {
  const flow = useFlow(flowKey);
  const [selected] = useSelectedFlow();
  if (flow === undefined) return null;
  return (
    <tr data-selected={selected === flowKey ? true : undefined}>
      <th scope="row" className="flow-cell">
        <Link
          to="/replications/$source/$target"
          params={{ source: flow.source, target: flow.target }}
          search={(search) => ({ from: search.from, to: search.to })}
        >
          <FlowName source={flow.source} target={flow.target} />
        </Link>
        <ShowInTopology flow={flow} />
        <FlowReason flow={flow} />
      </th>
      <td title={flow.since_ms === null ? undefined : `Since ${isoTime(flow.since_ms)}`}>
        <StatusBadge status={flow.status} />
      </td>
      <td className="numeric">
        <span className="with-spark">
          <ThroughputSpark flow={flow} />
          <Figure value={flow.bytes_per_second} as={bytesPerSecond} />
        </span>
      </td>
      <td className="numeric">
        <Figure value={flow.records_per_second} as={recordsPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={flow.latency_p50_ms} as={milliseconds} />
      </td>
      <td className="numeric">
        <Figure value={flow.latency_p95_ms} as={milliseconds} />
      </td>
      <td className="numeric">
        <Figure value={flow.lag_offsets} as={count} />
      </td>
      <td className="numeric">
        <Figure value={flow.topics} as={count} />
      </td>
      <td className="numeric">
        <Groups flow={flow} />
      </td>
      <td className="numeric">
        <Tasks flow={flow} />
      </td>
      <td className="numeric">
        <Figure value={flow.heartbeat_age_ms} as={age} />
      </td>
    </tr>
  );
});

/** Selects the flow in the picture above. */
function ShowInTopology({ flow }: { flow: FlowRow }) {
  const [selected, select] = useSelectedFlow();
  return (
    <button
      type="button"
      className="show-in-topology"
      aria-pressed={selected === flow.key}
      aria-label={`Show ${flow.source} to ${flow.target} in the topology`}
      title="Show in the topology"
      onClick={() => select(flow.key)}
    >
      <IconRoute size={15} aria-hidden />
    </button>
  );
}

function Groups({ flow: { groups } }: { flow: FlowRow }) {
  if (groups === null) return <Unknown />;
  const { total, ready, approximate, blocked } = groups;
  const title = `${ready} ready, ${approximate} approximate, ${blocked} blocked`;
  return (
    <span className="figure" data-tone={blocked > 0 ? "warn" : undefined} title={title}>
      {formatCount(ready)}
      <span className="unit">/ {formatCount(total)}</span>
    </span>
  );
}

function Tasks({ flow }: { flow: FlowRow }) {
  const { tasks_running: running, tasks_total: total } = flow;
  if (!areTasksKnown(flow)) return <Unknown />;
  return (
    <span className="figure" data-tone={running < total ? "warn" : undefined}>
      {running}
      <span className="unit">/ {total}</span>
    </span>
  );
}

const TONE_COLORS = {
  ok: "var(--series-1)",
  warn: "var(--warn-fill)",
  bad: "var(--bad-fill)",
  idle: "var(--idle-fill)",
};
const SPARK_POINTS = 60;
const NONE: Series = { times: [], values: [] };

function ThroughputSpark({ flow }: { flow: FlowRow }) {
  const store = useLiveStore();
  const range = useTimeRange();
  const { data: all } = useQuery(manySeriesQuery("bytes_per_second", range));
  const stored = all?.get(flow.key);
  const to_ms = range.to_ms ?? Date.now();
  const from_ms = range.from_ms ?? to_ms - range.length_ms;
  const live = range.to_ms === null ? store.series(flow.key, "bytes_per_second", from_ms) : NONE;
  const merged = mergeSeries(stored?.avg ?? NONE, live, stored?.step_ms ?? range.step_ms);
  const values = downsample(merged, from_ms, to_ms, SPARK_POINTS);
  return <Sparkline values={values} width={80} height={26} color={TONE_COLORS[toneOf(flow.status)]} />;
}
