import "@/components/chart/menu/chart-tools.css";
import { type ReactNode, type RefObject, Suspense } from "react";
import type { ChartLine } from "@/components/chart/options";
import type { ChartPoints } from "@/components/chart/SeriesChart";
import { lazyPart } from "@/lib/view/lazy-part";

const ChartMenu = lazyPart(() => import("@/components/chart/menu/ChartMenu"));

interface ChartToolsProps {
  /** the heading of the chart */
  name: string;
  /** the question mark that says what it shows */
  help: ReactNode;
  /** the name of its files */
  title: string;
  /** tells in an image what it shows */
  heading: string;
  lines: readonly ChartLine[];
  points: ChartPoints;
  box: RefObject<HTMLElement | null>;
  table: [boolean, (isTable: boolean) => void];
  /** absent: the chart has no logarithmic scale */
  log?: [boolean, (isLog: boolean) => void] | undefined;
}

/** What a chart means, its scale, and the menu of its table and its files. */
export function ChartTools({ name, help, table: [isTable, setTable], log, ...menu }: ChartToolsProps) {
  return (
    <>
      {help}
      {log !== undefined && (
        <button
          type="button"
          className="chart-toggle"
          aria-pressed={log[0]}
          aria-label={`Log scale of ${name}`}
          title="Logarithmic scale"
          onClick={() => log[1](!log[0])}
        >
          Log
        </button>
      )}
      <Suspense fallback={null}>
        <ChartMenu {...menu} isTable={isTable} onTable={setTable} />
      </Suspense>
    </>
  );
}
