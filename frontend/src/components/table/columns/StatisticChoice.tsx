import { SegmentedControl } from "@mantine/core";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { type Statistic, statisticsOf } from "@/components/table/columns/statistic";

interface StatisticChoiceProps {
  value: Statistic;
  onChange: (statistic: Statistic) => void;
}

/** The choice of the statistic that the numbers of a table show. */
export function StatisticChoice({ value, onChange }: StatisticChoiceProps) {
  return (
    <SegmentedControl
      size="xs"
      aria-label="Statistic of the numbers"
      data={statisticsOf(useTimeRange()).map(({ value, label }) => ({ value, label }))}
      value={value}
      onChange={onChange}
    />
  );
}
