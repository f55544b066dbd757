import type { Ref } from "react";

interface SparklineProps {
  ref?: Ref<SVGSVGElement>;
  values: readonly (number | null)[];
  width: number;
  height: number;
  color: string;
  /** fill the width of the parent instead of keeping the ratio */
  fluid?: boolean;
}

const PAD = 2;

interface Dot {
  x: number;
  y: number;
}

/** The scale shows the shape of the line: not from zero, but never so narrow that noise fills the height. */
function reachOf(known: readonly number[]): { top: number; bottom: number } {
  const top = Math.max(...known);
  const spread = Math.max(top - Math.min(...known), top * 0.3);
  return { top, bottom: Math.max(0, top - spread * 1.3) };
}

/** Runs of known values; an unknown value starts a new run, so that gaps stay visible. */
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

/** A line beside its number; decorative, so hidden from assistive technology. */
export function Sparkline({ ref, values, width, height, color, fluid = false }: SparklineProps) {
  const hasValues = values.some((value) => value !== null);
  const parts = hasValues ? runs(values, width, height) : [];
  return (
    <svg
      ref={ref}
      className="sparkline"
      viewBox={`0 0 ${width} ${height}`}
      width={fluid ? "100%" : width}
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
