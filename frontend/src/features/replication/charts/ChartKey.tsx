import { lookOf } from "@/components/chart/look";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { Figure } from "@/components/Figure";
import { useTimeRange } from "@/components/TimeRangeSelect";
import type { ChartDefinition, LineDefinition } from "@/features/replication/charts/definitions";
import { type MeasuredPoint, newestSince } from "@/lib/series";
import { clockTime } from "@/lib/time";
import { quantityOf } from "@/lib/units";
import { useFlow, useFlows } from "@/live/context";

interface ChartKeyProps {
  chart: ChartDefinition;
  points: ChartPoints;
  /** the lines that are drawn, in the order of the points */
  shown: readonly LineDefinition[];
  /** the line of an earlier time; undefined: nothing is compared */
  earlier: ChartLine | undefined;
  /** true: nothing was measured at the earlier time */
  isEarlierEmpty: boolean;
  /** of the flow, whose value of this second the heading shows */
  flowKey: string;
  only: string | null;
  onOnly: (key: string | null) => void;
}

const STORED_WITHIN_MS = 60_000;

/** An older value than this is not that of the end of the range; of now, it has its time. */
function reportedWithin({ every_ms = 0 }: ChartDefinition, step_ms: number): number {
  return Math.max(STORED_WITHIN_MS, 3 * step_ms, 2.5 * every_ms);
}

/** The figures of one metric, the highest first: a key has the order of its lines, which no value changes. */
const FIGURES = ["max", "p99", "p95", "p50", "avg", "min"];

/**
 * The lines of a chart with their values at the end of the range; pressing one draws it alone, pressing it again draws
 * all. The only line of a chart is known by its title.
 */
export function ChartKey({
  chart,
  points,
  shown,
  earlier,
  isEarlierEmpty,
  flowKey,
  only,
  onOnly,
}: ChartKeyProps) {
  useFlows();
  const flow = useFlow(flowKey);
  const series = points.read();
  const { step_ms, to_ms } = useTimeRange();
  const { live } = chart.lines[0];
  const now = live === undefined || to_ms !== null ? null : (flow?.[live] ?? null);
  const { from_ms, to_ms: end_ms } = points.window();
  const least_ms = to_ms === null ? from_ms : end_ms - reportedWithin(chart, step_ms);
  const latest = new Map(shown.map(({ key }, place) => [key, newestSince(series[place] ?? NONE, least_ms)]));
  const newest_ms = Math.max(...[...latest.values()].map((point) => point?.time_ms ?? 0));
  const usual_ms = end_ms - Math.max(STORED_WITHIN_MS, 2.5 * (chart.every_ms ?? 0)) - step_ms / 2;
  const isOld = (point: MeasuredPoint | null | undefined) =>
    point != null &&
    (point.time_ms < newest_ms - USUAL_STEPS * step_ms || (to_ms === null && point.time_ms < usual_ms));
  const lines = chart.lines.length === 1 ? [] : chart.lines;
  const ordered = [...lines].sort((a, b) => FIGURES.indexOf(a.figure) - FIGURES.indexOf(b.figure));
  return (
    <ul className="chart-key" aria-label={`Lines of ${chart.title}`}>
      {to_ms !== null && ordered.length > 0 && <li className="chart-key-note">At the end of the range:</li>}
      {ordered.map(({ key, label, look, metric }) => (
        <li key={key}>
          <button
            type="button"
            aria-pressed={only === key}
            title={only === key ? "Show all lines" : `Show ${label} only`}
            data-off={(only !== null && only !== key) || undefined}
            onClick={() => onOnly(only === key ? null : key)}
          >
            <span className="chart-tip-mark" style={{ background: lookOf(look).color }} aria-hidden />
            {label}
            {latest.has(key) && (
              <Latest
                point={latest.get(key) ?? null}
                now={key === chart.lines[0].key ? now : null}
                isOld={isOld(latest.get(key))}
                as={quantityOf(metric)}
              />
            )}
          </button>
        </li>
      ))}
      {earlier !== undefined && (
        <li className="chart-key-earlier">
          <span className="chart-tip-mark" style={{ borderColor: earlier.color }} aria-hidden />
          {earlier.label}
          {isEarlierEmpty && ": nothing was measured then"}
        </li>
      )}
    </ul>
  );
}

interface LatestProps extends Pick<Parameters<typeof Figure>[0], "as"> {
  point: MeasuredPoint | null;
  /** the value that the heading shows; null: the heading has none of this line */
  now: number | null;
  /** true: values beside it are newer */
  isOld: boolean;
}

/** The newest value of a line; an old one is dimmed and has its time. */
function Latest({ point, now, isOld, as }: LatestProps) {
  if (now !== null)
    return (
      <span className="chart-key-value">
        <Figure value={now} as={as} />
      </span>
    );
  return (
    <span className="chart-key-value" data-old={isOld || undefined}>
      <Figure value={point?.value} as={as} />
      {isOld && point !== null && ` at ${clockTime(point.time_ms)}`}
    </span>
  );
}

const NONE = { times: [], values: [] };
/** Stored values are this many steps behind live ones while all is well. */
const USUAL_STEPS = 3;
