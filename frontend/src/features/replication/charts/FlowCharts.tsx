import "@/features/replication/charts/charts.css";
import { SegmentedControl } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import type { FlowAddress } from "@/api/queries";
import { ChartCard } from "@/features/replication/charts/ChartCard";
import { CHARTS, COMPARISONS } from "@/features/replication/charts/definitions";

const NOTHING = "none";

/** The charts of a flow, with one choice of what they are compared with. */
export function FlowCharts({ source, target }: FlowAddress) {
  const { compare } = useSearch({ from: "/replications/$source/$target" });
  const navigate = useNavigate();
  const comparison = COMPARISONS.find(({ value }) => value === compare);
  const choose = (value: string): void => {
    const chosen = COMPARISONS.find((one) => one.value === value)?.value;
    void navigate({ to: ".", search: (search: object) => ({ ...search, compare: chosen }), replace: true });
  };
  return (
    <>
      <div className="charts-tools">
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
      </div>
      <div className="charts">
        {CHARTS.map((chart) => (
          <ChartCard key={chart.id} source={source} target={target} chart={chart} comparison={comparison} />
        ))}
      </div>
    </>
  );
}
