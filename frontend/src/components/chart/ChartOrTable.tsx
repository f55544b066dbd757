import { type RefObject, Suspense } from "react";
import { SeriesChart, type SeriesChartProps } from "@/components/chart/SeriesChart";
import { lazyPart } from "@/lib/view/lazy-part";

const SeriesTable = lazyPart(() => import("@/components/chart/SeriesTable"));

interface ChartOrTableProps extends SeriesChartProps {
  title: string;
  isTable: boolean;
  /** around the chart: downloads of its image find the canvas there */
  box: RefObject<HTMLDivElement | null>;
}

/** The points of a chart, drawn or as a table. */
export function ChartOrTable({ title, isTable, box, ...chart }: ChartOrTableProps) {
  const { lines, points, quantity, height } = chart;
  return (
    <div ref={box}>
      {isTable ? (
        <Suspense fallback={<div style={{ height }} />}>
          <SeriesTable title={title} lines={lines} points={points} quantity={quantity} />
        </Suspense>
      ) : (
        <SeriesChart {...chart} />
      )}
    </div>
  );
}
