import { Button, SegmentedControl } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { useSearch } from "@tanstack/react-router";
import { Suspense, useMemo, useRef } from "react";
import type { ListedFlow } from "@/api/types";
import { Card } from "@/components/Card";
import { ChartOrTable } from "@/components/chart/ChartOrTable";
import { pointsOf, useFlowLines } from "@/components/chart/flow-lines";
import { useChartSwitch } from "@/components/chart/menu/useChartSwitch";
import { type ChartMetric, LAG, LATENCY, THROUGHPUT } from "@/components/chart/metrics";
import { useFlowSeries } from "@/components/chart/useFlowSeries";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useAddressState } from "@/components/table/useAddressState";
import { ChartLegend } from "@/features/replications/ChartLegend";
import { FlowsWaiting, useFlowsFailed } from "@/features/replications/FlowsWaiting";
import { charted, MAX_LINES, type Rank, rankBy } from "@/features/replications/highest";
import { useFlowFacts } from "@/features/replications/table/facts";
import { useAsOf } from "@/features/replications/useAsOf";
import { useEarlierFlows } from "@/features/replications/useEarlierFlows";
import { useFlowMarks } from "@/features/replications/useFlowMarks";
import { plural } from "@/lib/format";
import { lazyPart } from "@/lib/view/lazy-part";
import { NARROW } from "@/lib/view/screen";
import { useLiveStore, useMembers, useNow } from "@/live/context";
import type { FlowRow } from "@/live/flow-row";

const ChartMenu = lazyPart(() => import("@/components/chart/menu/ChartMenu"));

const METRICS: readonly ChartMetric[] = [THROUGHPUT, LATENCY, LAG];
/** The height of a chart whose legend is full; `.live-chart .loading-rows` reserves both. */
const CHART_HEIGHT = 200;
const LEGEND_ROW_HEIGHT = 26;
/** The highest flows are chosen this often: lines that come and go each second cannot be read. */
const HELD_MS = 60_000;
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
  const known = useMembers();
  const isPast = useTimeRange().to_ms !== null;
  const isFailed = useFlowsFailed();
  if (known === null) {
    return (
      <Card
        className="live-chart"
        title="Flows"
        tools={
          <>
            <ChartTools />
            {!isFailed && <span className="chart-menu-place" />}
          </>
        }
      >
        <FlowsWaiting what="The chart" rows={7} />
      </Card>
    );
  }
  return <ChartOfFlows flows={isPast ? known : drawable(known)} />;
}

/** The metric and the scale of the address. */
function useChosenMetric(): { metric: ChartMetric; isLog: boolean; setLog: (isLog: boolean) => void } {
  const { metric: wanted } = useSearch({ from: "/replications" });
  const metric = METRICS.find((one) => one.id === wanted) ?? THROUGHPUT;
  const [scale, setScale] = useAddressState("scale", "");
  const isLog = metric.canBeLogarithmic === true && scale === "log";
  return { metric, isLog, setLog: (isLog) => setScale(isLog ? "log" : "") };
}

function ChartTools() {
  const { metric, isLog, setLog } = useChosenMetric();
  const [, choose] = useAddressState("metric", THROUGHPUT.id);
  return (
    <>
      {metric.canBeLogarithmic && (
        <Button
          size="compact-xs"
          variant={isLog ? "light" : "default"}
          aria-pressed={isLog}
          aria-label="Log scale of the chart"
          title="Logarithmic scale"
          onClick={() => setLog(!isLog)}
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
  );
}

/** The lines of the highest flows; the legend draws one of them alone. A shorter legend leaves its height to the chart, so that the card is as high as while it loads and moves nothing below it. */
function ChartOfFlows({ flows }: { flows: readonly FlowRow[] }) {
  const range = useTimeRange();
  const asOf = useAsOf();
  const { metric, isLog } = useChosenMetric();
  const [isTable, setTable] = useChartSwitch("table", "flows");
  const isNarrow = useMediaQuery(NARROW);
  const box = useRef<HTMLDivElement>(null);
  const rank = useRank(metric);
  const keys = flows.map((flow) => flow.key).join(" ");
  const turn = useNow(HELD_MS);
  const store = useLiveStore();
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines are drawn after some time, or for other flows
  const all = useMemo(
    () =>
      charted(
        flows.map((flow) => store.flow(flow.key) ?? flow),
        rank,
      ),
    [keys, rank, turn],
  );
  const [held, hold] = useAddressState("only", "");
  const only = all.some(({ key }) => key === held) ? held : null;
  const drawn = all.filter(({ key }) => only === null || key === only);
  const series = useFlowSeries(all, metric, range);
  const own = { lines: useFlowLines(drawn), points: pointsOf(drawn, series, metric) };
  const { lines, points, words: dotted, ...compared } = useEarlierFlows(drawn, metric, range, own);
  const { marks, words } = useFlowMarks(all, only);
  const happened = words === "" ? "" : ` ${words}.`;
  const label = `${metric.label} of ${plural(drawn.length, "flow")}, ${range.label.toLowerCase()}.${happened} The legend has the values.`;
  return (
    <Card
      className="live-chart"
      title={flows.length > MAX_LINES ? `${MAX_LINES} highest flows` : "Flows"}
      note={asOf ?? metric.note}
      tools={
        <>
          <ChartTools />
          <Suspense fallback={<span className="chart-menu-place" />}>
            <ChartMenu
              title={`flows-${metric.label.toLowerCase().replaceAll(" ", "-")}`}
              heading={`${metric.label} of ${plural(drawn.length, "flow")}`}
              lines={lines}
              points={points}
              box={box}
              isTable={isTable}
              onTable={setTable}
              compared={compared}
            />
          </Suspense>
        </>
      }
    >
      <div className="chart-with-legend">
        <ChartOrTable
          title={metric.label}
          box={box}
          isTable={isTable}
          lines={lines}
          points={points}
          quantity={metric.quantity}
          height={CHART_HEIGHT + (isNarrow ? 0 : (MAX_LINES - all.length) * LEGEND_ROW_HEIGHT)}
          label={label}
          isLogarithmic={isLog}
          marks={marks}
        />
        <ChartLegend
          flows={all}
          metric={metric}
          series={series}
          only={only}
          onOnly={(key) => hold(key ?? "")}
        />
      </div>
      {dotted !== "" && <p className="chart-compared muted">{dotted}</p>}
    </Card>
  );
}
