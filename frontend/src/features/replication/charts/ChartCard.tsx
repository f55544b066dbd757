import { useMemo, useRef } from "react";
import type { FlowAddress } from "@/api/queries";
import { Card } from "@/components/Card";
import { ChartOrTable } from "@/components/chart/ChartOrTable";
import type { Comparison } from "@/components/chart/comparison";
import { lookOf } from "@/components/chart/look";
import type { MarksReader } from "@/components/chart/marks";
import { ChartTools } from "@/components/chart/menu/ChartTools";
import { useChartSwitch } from "@/components/chart/menu/useChartSwitch";
import type { ChartLine } from "@/components/chart/options";
import { Definition } from "@/components/definition/Definition";
import { Figure } from "@/components/Figure";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useAddressState } from "@/components/table/useAddressState";
import { ChartKey } from "@/features/replication/charts/ChartKey";
import type { ChartDefinition } from "@/features/replication/charts/definitions";
import { useChartPoints } from "@/features/replication/charts/useChartPoints";
import type { Measure } from "@/lib/format";
import { quantityOf } from "@/lib/units";
import { useFlow } from "@/live/context";
import { flowKey } from "@/live/flow-row";
import type { RingMetric } from "@/live/rings";

const CHART_HEIGHT = 190;

interface ChartCardProps extends FlowAddress {
  chart: ChartDefinition;
  comparison: Comparison | undefined;
  /** a topic of the source, whose chart it is instead of the flow's */
  topic?: string | undefined;
  /** what happened at the times of the chart */
  marks: MarksReader;
}

/** One chart of a flow: lines that its key isolates, a table of the same points, and downloads. */
export function ChartCard({ source, target, chart, comparison, topic, marks }: ChartCardProps) {
  const range = useTimeRange();
  const [held, hold] = useAddressState(`${chart.id}_only`, "");
  const only = chart.lines.some(({ key }) => key === held) ? held : null;
  const table = useChartSwitch("table", chart.id);
  const log = useChartSwitch("log", chart.id);
  const box = useRef<HTMLDivElement>(null);
  const definitions = useMemo(
    () => chart.lines.filter(({ key }) => only === null || key === only),
    [chart, only],
  );
  const lines = useMemo((): ChartLine[] => {
    const own = definitions.map(({ key, label, look }) => ({ key, label, ...lookOf(look) }));
    return comparison === undefined ? own : [...own, earlierLine(chart, comparison)];
  }, [chart, definitions, comparison]);
  const part = useMemo(() => (topic === undefined ? undefined : { topic }), [topic]);
  const points = useChartPoints({ source, target }, chart, definitions, range, comparison, part);
  const subject = topic === undefined ? `from ${source} to ${target}` : `of ${topic}`;
  const [first] = chart.lines;
  const quantity = quantityOf(first.metric);
  return (
    <Card
      className="chart-card"
      title={chart.title}
      note={chart.note}
      tools={
        <>
          {first.live !== undefined && range.to_ms === null && (
            <span className="chart-now">
              {chart.lines.length > 1 && <span className="chart-of">{first.label} </span>}
              <NowFigure flowKey={flowKey(source, target)} metric={first.live} as={quantity} />
            </span>
          )}
          <ChartTools
            name={chart.title}
            help={<Definition metric={first.metric} name={chart.title} />}
            title={[source, target, ...(topic === undefined ? [] : [topic]), chart.id].join("-")}
            heading={`${chart.title} ${subject}`}
            lines={lines}
            points={points}
            box={box}
            table={table}
            log={chart.canBeLogarithmic ? log : undefined}
          />
        </>
      }
    >
      <ChartOrTable
        title={chart.title}
        box={box}
        isTable={table[0]}
        lines={lines}
        points={points}
        quantity={quantity}
        height={CHART_HEIGHT}
        label={`${chart.title} ${subject}, ${range.label.toLowerCase()}`}
        isLogarithmic={log[0]}
        marks={marks}
      />
      {(chart.lines.length > 1 || comparison !== undefined) && (
        <ChartKey
          chart={chart}
          points={points}
          shown={definitions}
          isEarlierEmpty={points.isEarlierEmpty}
          earlier={comparison && earlierLine(chart, comparison)}
          flowKey={flowKey(source, target)}
          only={only}
          onOnly={(key) => hold(key ?? "")}
        />
      )}
    </Card>
  );
}

/** The value of this second, which renders by itself: the chart beside it draws without a render. */
function NowFigure({ flowKey, metric, as }: { flowKey: string; metric: RingMetric; as: Measure }) {
  return <Figure value={useFlow(flowKey)?.[metric] ?? null} as={as} />;
}

/** The line of the subject of a chart at an earlier time. */
function earlierLine({ lines: [{ label }] }: ChartDefinition, comparison: Comparison): ChartLine {
  return { key: "earlier", label: `${label}, ${comparison.label}`, color: "var(--idle-fill)", dash: [4, 4] };
}
