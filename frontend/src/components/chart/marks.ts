/** Draws events as marks on a chart, and tells which of them are near a time. */
import type uPlot from "uplot";

export interface ChartMark {
  time_ms: number;
  tone: "bad" | "idle" | "config";
  text: string;
}

/** The marks of this moment; another function when they change. */
export type MarksReader = () => readonly ChartMark[];

const COLORS = { bad: "--bad-fill", idle: "--idle-fill", config: "--accent" } as const;
const NEAR_PX = 6;
const MARK_PX = 5;

/** A thin line through the chart and a triangle at its foot for each mark. `read` gives the marks of this moment. */
export function marksPlugin(read: MarksReader): uPlot.Plugin {
  return {
    hooks: {
      drawAxes: (plot) => {
        const { ctx, bbox } = plot;
        const style = getComputedStyle(plot.root);
        ctx.save();
        for (const { time_ms, tone } of read()) {
          const x = plot.valToPos(time_ms, "x", true);
          if (x < bbox.left || x > bbox.left + bbox.width) continue;
          const color = style.getPropertyValue(COLORS[tone]);
          const size = MARK_PX * devicePixelRatio;
          const foot = bbox.top + bbox.height;
          ctx.strokeStyle = color;
          ctx.fillStyle = color;
          ctx.globalAlpha = 0.55;
          ctx.lineWidth = devicePixelRatio;
          ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
          ctx.beginPath();
          ctx.moveTo(x, bbox.top);
          ctx.lineTo(x, foot);
          ctx.stroke();
          ctx.globalAlpha = 1;
          ctx.beginPath();
          ctx.moveTo(x - size, foot);
          ctx.lineTo(x + size, foot);
          ctx.lineTo(x, foot - 1.6 * size);
          ctx.fill();
        }
        ctx.restore();
      },
    },
  };
}

/** The marks that are a few pixels from the cursor. */
export function marksAt(plot: uPlot, left_px: number, marks: readonly ChartMark[]): readonly ChartMark[] {
  return marks.filter(({ time_ms }) => Math.abs(plot.valToPos(time_ms, "x") - left_px) <= NEAR_PX);
}
