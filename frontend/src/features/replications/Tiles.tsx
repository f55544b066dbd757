import { useQuery } from "@tanstack/react-query";
import { summaryQuery } from "@/api/queries";
import type { FleetMetricName } from "@/api/types";
import { RangeSparkline } from "@/components/chart/RangeSparkline";
import { LaterDefinition } from "@/components/definition/LaterNote";
import { useDelayed } from "@/components/states";
import { Tile, TileSkeleton } from "@/components/Tile";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useFlowsFailed } from "@/features/replications/FlowsWaiting";
import { ProofTile } from "@/features/replications/ProofTile";
import { StatusTile } from "@/features/replications/StatusTile";
import { useAsOf } from "@/features/replications/useAsOf";
import { quantityOf } from "@/lib/units";
import { useFlows } from "@/live/context";
import type { RingMetric } from "@/live/rings";
import { ALL_FLOWS } from "@/live/store";
import { type Total, type Totals, totalsOf } from "@/live/totals";

interface TileDefinition {
  label: string;
  color: string;
  stored: FleetMetricName;
  pick: "avg" | "max";
  live: RingMetric;
  value: (totals: Totals) => number | null;
  note: (totals: Totals) => string;
  /** the figure of a range in the past, and its name */
  past: { figure: "avg" | "p95"; note: string };
}

function measuredNote({ measured, expected }: Total, text: string): string {
  return measured === expected ? text : `${measured} of ${expected} active flows measured`;
}

const DEFINITIONS: readonly TileDefinition[] = [
  {
    label: "Throughput",
    color: "var(--series-1)",
    stored: "bytes_per_second",
    pick: "avg",
    live: "bytes_per_second",
    value: (totals) => totals.bytes_per_second.value,
    note: (totals) => measuredNote(totals.bytes_per_second, "all flows, now"),
    past: { figure: "avg", note: "average of the range" },
  },
  {
    label: "Records",
    color: "var(--series-3)",
    stored: "records_per_second",
    pick: "avg",
    live: "records_per_second",
    value: (totals) => totals.records_per_second.value,
    note: (totals) => measuredNote(totals.records_per_second, "all flows, now"),
    past: { figure: "avg", note: "average of the range" },
  },
  {
    label: "Latency p95",
    color: "var(--series-2)",
    stored: "replication_latency_p95_ms",
    pick: "avg",
    live: "latency_p95_ms",
    value: (totals) => totals.worst_latency?.value ?? null,
    note: ({ worst_latency: worst }) =>
      worst === null ? "no flow measured" : `worst: ${worst.flow.source} → ${worst.flow.target}`,
    past: { figure: "p95", note: "of all records" },
  },
  {
    label: "Lag",
    color: "var(--series-4)",
    stored: "lag_offsets",
    pick: "avg",
    live: "lag_offsets",
    value: (totals) => totals.lag_offsets.value,
    note: (totals) => measuredNote(totals.lag_offsets, "behind the sources, now"),
    past: { figure: "avg", note: "average of the range" },
  },
];

const SPARK_POINTS = 90;

/** The key figures of all flows: status, throughput, latency and lag. */
export function Tiles() {
  const flows = useFlows();
  const range = useTimeRange();
  const asOf = useAsOf();
  const { data: summary } = useQuery(summaryQuery(range));
  if (flows === null) return <LoadingTiles />;
  const totals = totalsOf(flows);
  const isPast = range.to_ms !== null;
  return (
    <section className="tiles" aria-label={isPast ? "All flows in the range" : "All flows now"}>
      <StatusTile flows={flows} clusters={totals.clusters} />
      {DEFINITIONS.map((tile) => (
        <Tile
          key={tile.label}
          label={tile.label}
          help={<LaterDefinition metric={tile.stored} name={tile.label} />}
          value={isPast ? summary?.metrics[tile.stored][tile.past.figure] : tile.value(totals)}
          as={quantityOf(tile.stored)}
          note={asOf ?? (isPast ? tile.past.note : tile.note(totals))}
        >
          <RangeSparkline
            flowKey={ALL_FLOWS}
            live={tile.live}
            stored={summary?.series(tile.stored)}
            pick={tile.pick}
            points={Math.min(SPARK_POINTS, Math.ceil(range.length_ms / range.step_ms))}
            width={200}
            height={32}
            color={tile.color}
            fluid
          />
        </Tile>
      ))}
      <ProofTile />
    </section>
  );
}

/** The tiles before the first flows have arrived; without numbers once it is known that none are on their way. */
function LoadingTiles() {
  const isShown = useDelayed(true);
  const isFailed = useFlowsFailed();
  const waits = isFailed
    ? {}
    : { role: "progressbar", "aria-busy": true, "aria-label": "Loading the totals" };
  return (
    <div className="tiles" {...waits}>
      {["Replications", ...DEFINITIONS.map((tile) => tile.label), "Oldest proof"].map((label) => (
        <div key={label} className="tile">
          <span className="tile-label">{label}</span>
          {isFailed && <span className="tile-unknown">not loaded</span>}
          {!isFailed && isShown && <TileSkeleton />}
        </div>
      ))}
    </div>
  );
}
