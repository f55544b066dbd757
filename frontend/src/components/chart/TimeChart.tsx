import { useComputedColorScheme } from "@mantine/core";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type MarksReader, marksPlugin } from "@/components/chart/marks";
import type { Missing } from "@/components/chart/missing";
import { type ChartLine, chartOptions, type Window } from "@/components/chart/options";
import { tooltipPlugin } from "@/components/chart/tooltip";
import type { Measure } from "@/lib/format";
import type { Series } from "@/lib/series";

export interface TimeChartProps {
  /** must be the same array while the lines are the same: a new array rebuilds the chart */
  lines: readonly ChartLine[];
  /** the points of each line at this moment, in the order of `lines` */
  read: () => readonly Series[];
  window: () => Window;
  /** must be the same function while the metric is the same */
  quantity: Measure;
  /** calls back whenever there is something new to draw */
  subscribe: (redraw: () => void) => () => void;
  height: number;
  /** the accessible name: metric, range and lines */
  label: string;
  isLogarithmic?: boolean | undefined;
  marks?: MarksReader | undefined;
  /** why there is no value */
  missing: Missing;
  onZoom?: ((window: Window) => void) | undefined;
  onReset?: (() => void) | undefined;
}

const RETAIN_GAPS: uPlot.JoinNullMode = 1;
const NO_POINTS: uPlot.AlignedData = [[]];

/** A logarithmic scale has no place for 0. */
function aligned(series: readonly Series[], isLogarithmic: boolean): uPlot.AlignedData {
  if (series.length === 0) return NO_POINTS;
  const drawn = (values: readonly (number | null)[]) =>
    isLogarithmic ? values.map((value) => (value === null || value > 0 ? value : null)) : [...values];
  const tables = series.map((one): uPlot.AlignedData => [one.times, drawn(one.values)]);
  return uPlot.join(
    tables,
    tables.map(() => [RETAIN_GAPS, RETAIN_GAPS]),
  );
}

/** A canvas of lines over time. New points are drawn directly; React renders only when the lines change. */
export default function TimeChart(props: TimeChartProps) {
  const host = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme("light");
  const latest = useRef(props);
  latest.current = props;
  const { lines, quantity, subscribe, height, label, isLogarithmic = false } = props;

  // biome-ignore lint/correctness/useExhaustiveDependencies: another colour scheme means other colours in the canvas
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const readMarks: MarksReader = () => latest.current.marks?.() ?? [];
    const readMissing: Missing = (time_ms) => latest.current.missing(time_ms);
    const canZoom = latest.current.onZoom !== undefined;
    const plot = new uPlot(
      chartOptions({
        element,
        width: element.clientWidth,
        height,
        lines,
        quantity,
        isLogarithmic,
        window: () => latest.current.window(),
        onZoom: canZoom ? (window) => latest.current.onZoom?.(window) : undefined,
        plugins: [marksPlugin(readMarks), tooltipPlugin(lines, quantity, readMarks, readMissing)],
      }),
      aligned(latest.current.read(), isLogarithmic),
      element,
    );
    plot.over.addEventListener("dblclick", () => latest.current.onReset?.());
    const stop = subscribe(() => {
      if (!document.hidden) plot.setData(aligned(latest.current.read(), isLogarithmic));
    });
    const resizing = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    resizing.observe(element);
    return () => {
      stop();
      resizing.disconnect();
      plot.destroy();
    };
  }, [lines, quantity, subscribe, height, scheme, isLogarithmic]);

  return <div ref={host} className="chart" role="img" aria-label={label} style={{ height }} />;
}
