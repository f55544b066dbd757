import { useQuery } from "@tanstack/react-query";
import { type FlowAddress, summaryQuery } from "@/api/queries";
import type { FleetMetricName, ListedFlow } from "@/api/types";
import { RangeSparkline } from "@/components/chart/RangeSparkline";
import { LaterDefinition } from "@/components/definition/LaterNote";
import { useDelayed } from "@/components/states";
import { Tile, TileNotLoaded, TileSkeleton } from "@/components/Tile";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { useFlowsFailed } from "@/features/replications/FlowsWaiting";
import { worstOf } from "@/features/replications/highest";
import { ProofTile } from "@/features/replications/ProofTile";
import { StatusTile } from "@/features/replications/StatusTile";
import { useFlowFacts } from "@/features/replications/table/facts";
import { useAsOf } from "@/features/replications/useAsOf";
import type { Measured } from "@/lib/format";
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
  /** what a range in the past shows: the average of all flows, or the flow with the highest latency */
  past: "average" | "worst";
}

type Summary = { metrics: Readonly<Record<FleetMetricName, { avg: number | null }>> };
type Facts = ReadonlyMap<string, ListedFlow>;

interface PastTile {
  value: Measured;
  note: string;
}

/** A tile of a range in the past; undefined values are not there yet. */
function pastOf(
  { past, stored }: TileDefinition,
  summary: Summary | undefined,
  flows: Facts | undefined,
): PastTile {
  if (past === "average") return { value: summary?.metrics[stored].avg, note: "average of the range" };
  const worst = worstOf(flows?.values() ?? []);
  return { value: worst?.value, note: worst === null ? "no flow measured" : worstNote(worst.flow) };
}

const worstNote = ({ source, target }: FlowAddress) => `worst: ${source} → ${target}`;

function measuredNote({ measured, expected }: Total, text: string): string {
  return measured === expected ? text : `${measured} of ${expected} active flows measured`;
}

/** Without the flows whose source is not read the lag is a lower bound. */
const lagNote = (lag: Total): string =>
  measuredNote(lag, "behind the sources, now").replace(/^(?=[1-9]\d* of)/, "at least: ");

const DEFINITIONS: readonly TileDefinition[] = [
  {
    label: "Throughput",
    color: "var(--series-1)",
    stored: "bytes_per_second",
    pick: "avg",
    live: "bytes_per_second",
    value: (totals) => totals.bytes_per_second.value,
    note: (totals) => measuredNote(totals.bytes_per_second, "all flows, now"),
    past: "average",
  },
  {
    label: "Records",
    color: "var(--series-3)",
    stored: "records_per_second",
    pick: "avg",
    live: "records_per_second",
    value: (totals) => totals.records_per_second.value,
    note: (totals) => measuredNote(totals.records_per_second, "all flows, now"),
    past: "average",
  },
  {
    label: "Latency p95",
    color: "var(--series-2)",
    stored: "replication_latency_p95_ms",
    pick: "avg",
    live: "latency_p95_ms",
    value: (totals) => totals.worst_latency?.value ?? null,
    note: ({ worst_latency: worst }) => (worst === null ? "no flow measured" : worstNote(worst.flow)),
    past: "worst",
  },
  {
    label: "Lag",
    color: "var(--series-4)",
    stored: "lag_offsets",
    pick: "avg",
    live: "lag_offsets",
    value: (totals) => totals.lag_offsets.value,
    note: (totals) => lagNote(totals.lag_offsets),
    past: "average",
  },
];

const SPARK_POINTS = 90;

/** The key figures of all flows: status, throughput, latency and lag. */
export function Tiles() {
  const flows = useFlows();
  const range = useTimeRange();
  const asOf = useAsOf();
  const { data: summary } = useQuery(summaryQuery(range));
  const facts = useFlowFacts();
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
          value={isPast ? pastOf(tile, summary, facts).value : tile.value(totals)}
          as={quantityOf(tile.stored)}
          note={asOf ?? (isPast ? pastOf(tile, summary, facts).note : tile.note(totals))}
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
          {isFailed && <TileNotLoaded />}
          {!isFailed && isShown && <TileSkeleton />}
        </div>
      ))}
    </div>
  );
}
