import { IconChevronRight } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ChartFlow } from "@/components/chart/flow-lines";
import type { ChartMetric } from "@/components/chart/metrics";
import type { FlowSeries } from "@/components/chart/useFlowSeries";
import { Figure } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useFlowFacts } from "@/features/replications/table/facts";
import { useFlows, useLiveStore, useSettledFlows } from "@/live/context";

interface ChartLegendProps {
  flows: readonly ChartFlow[];
  metric: ChartMetric;
  series: FlowSeries;
  only: string | null;
  onOnly: (key: string | null) => void;
}

function peakOf(values: readonly (number | null)[]): number | null {
  return values.reduce(
    (peak, value) => (value === null || (peak !== null && peak >= value) ? peak : value),
    null,
  );
}

/** The lines of the chart, highest first every few seconds, each with its highest value and that of now, or in a range in the past the average or the p95 that the table and the tiles have; pressing one draws it alone. */
export function ChartLegend({ flows, metric, series, only, onOnly }: ChartLegendProps) {
  useFlows();
  const settled = useSettledFlows();
  const isPast = useTimeRange().to_ms !== null;
  const store = useLiveStore();
  const facts = useFlowFacts();
  const isPercentile = metric.pick === "p95";
  const lines = flows.map((flow) => {
    if (!isPast) {
      const value = store.flow(flow.key)?.[metric.live] ?? null;
      return { flow, value, peak: peakOf([...series.read(flow).values, value]) };
    }
    const past = facts?.get(flow.key)?.metrics[metric.stored];
    if (isPercentile) return { flow, value: past?.p95 ?? null, peak: peakOf(series.read(flow).values) };
    // a point of the line is the average of its step, and so below the highest value within it
    return { flow, value: past?.avg ?? null, peak: past?.max ?? null };
  });
  const values = isPast
    ? new Map(lines.map(({ flow, value }) => [flow.key, value]))
    : new Map(settled?.map((flow) => [flow.key, flow[metric.live]]));
  const rank = ({ flow }: { flow: ChartFlow }) => values.get(flow.key) ?? -1;
  lines.sort((a, b) => rank(b) - rank(a));
  const ofNow = isPast ? (isPercentile ? "p95" : "Avg") : "Now";
  return (
    <table className="legend">
      <thead>
        <tr>
          <th scope="col">Flow</th>
          <th scope="col" className="numeric">
            {ofNow}
          </th>
          <th scope="col" className="numeric">
            Peak
          </th>
        </tr>
      </thead>
      <tbody>
        {lines.map(({ flow, value, peak }) => (
          <tr key={flow.key} data-off={(only !== null && only !== flow.key) || undefined}>
            <th scope="row">
              <button
                type="button"
                className="legend-line"
                aria-pressed={only === flow.key}
                title={only === flow.key ? "Show all lines" : `Show ${flow.source} to ${flow.target} only`}
                onClick={() => onOnly(only === flow.key ? null : flow.key)}
              >
                <svg className="legend-mark" viewBox="0 0 26 4" style={{ color: flow.color }} aria-hidden>
                  <line x2={26} y1={2} y2={2} strokeDasharray={flow.dash?.join(" ")} />
                </svg>
                <FlowName source={flow.source} target={flow.target} />
              </button>
              <Link
                className="legend-open"
                aria-label={`Open ${flow.source} to ${flow.target}`}
                to="/replications/$source/$target"
                params={{ source: flow.source, target: flow.target }}
                search={(search) => ({ from: search.from, to: search.to })}
              >
                <IconChevronRight size={14} aria-hidden />
              </Link>
            </th>
            <td className="numeric" data-label={ofNow}>
              <Figure value={value} as={metric.quantity} />
            </td>
            <td className="numeric legend-peak" data-label="Peak">
              <Figure value={peak} as={metric.quantity} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
