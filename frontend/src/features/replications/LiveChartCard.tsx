import { Button, SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import type { ListedFlow } from "@/api/types";
import { Card } from "@/components/Card";
import { FlowChart } from "@/components/chart/FlowChart";
import { type ChartMetric, LAG, LATENCY, THROUGHPUT } from "@/components/chart/metrics";
import { useFlowSeries } from "@/components/chart/useFlowSeries";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useAddressState } from "@/components/table/useAddressState";
import { ChartLegend } from "@/features/replications/ChartLegend";
import { FlowsWaiting } from "@/features/replications/FlowsWaiting";
import { charted, MAX_LINES, type Rank, rankBy } from "@/features/replications/highest";
import { useFlowFacts } from "@/features/replications/table/facts";
import { useAsOf } from "@/features/replications/useAsOf";
import { useSettledFlows } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

const METRICS: readonly ChartMetric[] = [THROUGHPUT, LATENCY, LAG];
const CHART_HEIGHT = 280;
const NO_FACTS: ReadonlyMap<string, ListedFlow> = new Map();
/** Excludes disabled flows, which only carry heartbeats; in a range in the past they may have copied. */
function drawable(flows: readonly FlowRow[]): readonly FlowRow[] {
  return flows.filter((flow) => flow.status !== "disabled");
}

/** Another function when the highest flows may be others. */
function useRank(metric: ChartMetric): Rank {
  const isPast = useTimeRange().to_ms !== null;
  const facts = useFlowFacts();
  const past = isPast ? (facts ?? NO_FACTS) : null;
  return useMemo(() => rankBy(metric, past), [metric, past]);
}

export function LiveChartCard() {
  const known = useSettledFlows();
  const navigate = useNavigate();
  const asOf = useAsOf();
  const range = useTimeRange();
  const flows = known === null || range.to_ms !== null ? known : drawable(known);
  const { metric: wanted } = useSearch({ from: "/replications" });
  const metric = METRICS.find((one) => one.id === wanted) ?? THROUGHPUT;
  const [scale, setScale] = useAddressState("scale", "");
  const isLog = metric.canBeLogarithmic === true && scale === "log";
  const choose = (id: string): void => {
    const shown = id === THROUGHPUT.id ? undefined : id;
    void navigate({ to: ".", search: (search: object) => ({ ...search, metric: shown }), replace: true });
  };
  return (
    <Card
      className="live-chart"
      title={flows !== null && flows.length > MAX_LINES ? `${MAX_LINES} highest flows` : "Flows"}
      note={asOf ?? `${metric.note}, ${range.label.toLowerCase()}`}
      tools={
        <>
          {metric.canBeLogarithmic && (
            <Button
              size="compact-xs"
              variant={isLog ? "light" : "default"}
              aria-pressed={isLog}
              aria-label="Log scale of the chart"
              title="Logarithmic scale"
              onClick={() => setScale(isLog ? "" : "log")}
            >
              Log
            </Button>
          )}
          <SegmentedControl
            size="xs"
            aria-label="Metric of the chart"
            data={METRICS.map(({ id, label }) => ({ value: id, label }))}
            value={metric.id}
            onChange={choose}
          />
        </>
      }
    >
      {flows === null ? (
        <FlowsWaiting what="The chart" rows={7} />
      ) : (
        <ChartOfFlows flows={flows} metric={metric} isLogarithmic={isLog} />
      )}
    </Card>
  );
}

interface ChartOfFlowsProps {
  flows: readonly FlowRow[];
  metric: ChartMetric;
  isLogarithmic: boolean;
}

function ChartOfFlows({ flows, metric, isLogarithmic }: ChartOfFlowsProps) {
  const range = useTimeRange();
  const keys = flows.map((flow) => flow.key).join(" ");
  const rank = useRank(metric);
  // biome-ignore lint/correctness/useExhaustiveDependencies: which lines are drawn changes with the set of flows only
  const lines = useMemo(() => charted(flows, rank), [keys, rank]);
  const series = useFlowSeries(lines, metric, range);
  const label = `${metric.label} of ${lines.length} flows, ${range.label.toLowerCase()}. The legend has the values.`;
  return (
    <div className="chart-with-legend">
      <FlowChart
        flows={lines}
        metric={metric}
        series={series}
        height={CHART_HEIGHT}
        label={label}
        isLogarithmic={isLogarithmic}
      />
      <ChartLegend flows={lines} metric={metric} series={series} />
    </div>
  );
}
