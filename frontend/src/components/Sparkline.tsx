interface SparklineProps {
  values: readonly (number | null)[];
  width: number;
  height: number;
  color: string;
  /** fill the width of the parent instead of keeping the ratio */
  stretch?: boolean;
}

const PAD = 2;

interface Dot {
  x: number;
  y: number;
}

/** Shows the shape of the line: not from zero, but never so near that mere noise fills the height. */
function reachOf(known: readonly number[]): { top: number; bottom: number } {
  const top = Math.max(...known);
  const spread = Math.max(top - Math.min(...known), top * 0.3);
  return { top, bottom: Math.max(0, top - spread * 1.3) };
}

/** Runs of known values; a hole starts a new run, so a gap is drawn as a gap. */
function runs(values: readonly (number | null)[], width: number, height: number): Dot[][] {
  const known = values.filter((value) => value !== null);
  const { top, bottom } = reachOf(known);
  const reach = top - bottom || 1;
  const result: Dot[][] = [];
  let run: Dot[] = [];
  values.forEach((value, place) => {
    if (value === null) {
      if (run.length > 0) result.push(run);
      run = [];
      return;
    }
    const x = values.length === 1 ? width : (place / (values.length - 1)) * width;
    run.push({ x, y: height - PAD - ((value - bottom) / reach) * (height - 2 * PAD) });
  });
  return run.length > 0 ? [...result, run] : result;
}

function line(run: readonly Dot[]): string {
  return run
    .map((dot, place) => `${place === 0 ? "M" : "L"}${dot.x.toFixed(1)} ${dot.y.toFixed(1)}`)
    .join("");
}

function area(run: readonly Dot[], height: number): string {
  const first = run[0];
  const last = run.at(-1);
  if (first === undefined || last === undefined) return "";
  return `${line(run)}L${last.x.toFixed(1)} ${height}L${first.x.toFixed(1)} ${height}Z`;
}

/** Decoration beside a number that says the same: hidden from assistive technology. */
export function Sparkline({ values, width, height, color, stretch = false }: SparklineProps) {
  const hasValues = values.some((value) => value !== null);
  const parts = hasValues ? runs(values, width, height) : [];
  return (
    <svg
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={stretch ? "100%" : width}
      height={height}
      preserveAspectRatio="none"
      aria-hidden="true"
      style={{ color }}
    >
      {!hasValues && <path className="sparkline-none" d={`M0 ${height - PAD}H${width}`} />}
      {parts.map((run) => (
        <g key={run[0]?.x}>
          <path className="sparkline-area" d={area(run, height)} />
          <path className="sparkline-line" d={line(run)} />
        </g>
      ))}
    </svg>
  );
}
