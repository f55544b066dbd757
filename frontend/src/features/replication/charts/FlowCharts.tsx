import "@/features/replication/charts/charts.css";
import { SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import type { TopicAddress } from "@/api/topic";
import { COMPARISONS } from "@/components/chart/comparison";
import { ChartCard } from "@/features/replication/charts/ChartCard";
import { CHARTS, type ChartDefinition, TOPIC_CHARTS } from "@/features/replication/charts/definitions";
import { useMarks } from "@/features/replication/charts/useMarks";

const NOTHING = "none";

/** The charts of a flow, with one choice of what they are compared with. */
export function FlowCharts(flow: FlowAddress) {
  return <Charts flow={flow} charts={CHARTS} />;
}

/** The charts of one topic of a flow. */
export function TopicCharts({ topic, ...flow }: TopicAddress) {
  return <Charts flow={flow} charts={TOPIC_CHARTS} topic={topic} />;
}

interface ChartsProps {
  flow: FlowAddress;
  charts: readonly ChartDefinition[];
  topic?: string;
}

function Charts({ flow: { source, target }, charts, topic }: ChartsProps) {
  const { compare } = useSearch({ strict: false });
  const navigate = useNavigate();
  const { marks, words, tone } = useMarks({ source, target }, topic);
  const comparison = COMPARISONS.find(({ value }) => value === compare);
  const choose = (value: string): void => {
    const chosen = COMPARISONS.find((one) => one.value === value)?.value;
    void navigate({ to: ".", search: (search: object) => ({ ...search, compare: chosen }), replace: true });
  };
  return (
    <>
      <div className="charts-tools">
        {words !== "" && (
          <span className="charts-marks" data-tone={tone}>
            {words}
          </span>
        )}
        <span className="charts-compare">
          <span id="compare-label">Compare with</span>
          <SegmentedControl
            size="xs"
            aria-labelledby="compare-label"
            data={[
              { value: NOTHING, label: "nothing" },
              ...COMPARISONS.map(({ value, label }) => ({ value, label })),
            ]}
            value={comparison?.value ?? NOTHING}
            onChange={choose}
          />
        </span>
      </div>
      <div className="charts">
        {charts.map((chart) => (
          <ChartCard
            key={chart.id}
            source={source}
            target={target}
            chart={chart}
            comparison={comparison}
            topic={topic}
            marks={marks}
          />
        ))}
      </div>
    </>
  );
}
