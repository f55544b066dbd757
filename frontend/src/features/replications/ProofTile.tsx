import { LaterTerm } from "@/components/definition/LaterNote";
import { NameText } from "@/components/NameText";
import { useDelayed } from "@/components/states";
import { TileNotLoaded, TileSkeleton } from "@/components/Tile";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { proofOf } from "@/features/replications/proof";
import { useFlowFactsAnswer } from "@/features/replications/table/facts";
import { plural } from "@/lib/format";
import { age, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** The age of the oldest proof among the flows, and how many have none. */
export function ProofTile() {
  const { data: facts, status } = useFlowFactsAnswer();
  const now_ms = useNow(10_000);
  if (facts === undefined) return <NoProof isFailed={status === "error"} />;
  const { expected, proven, oldest } = proofOf(facts.values());
  const old = oldest === null ? null : age(now_ms - oldest.until_ms);
  return (
    <div className="tile" title={oldest === null ? undefined : `Proven until ${isoTime(oldest.until_ms)}`}>
      <ProofLabel />
      {old === null ? (
        <span className="tile-unknown">none yet</span>
      ) : (
        <span className="tile-value">
          {old.value}
          <span className="unit">{old.unit} ago</span>
        </span>
      )}
      {oldest !== null && (
        <span className="tile-note">
          <NameText name={`${oldest.flow.source} → ${oldest.flow.target}`} />
        </span>
      )}
      <span className="tile-note tile-note-wraps">
        {proven} of {plural(expected, "flow")} proven
      </span>
    </div>
  );
}

function NoProof({ isFailed }: { isFailed: boolean }) {
  const isShown = useDelayed(true);
  return (
    <div className="tile">
      <ProofLabel />
      {isFailed && <TileNotLoaded />}
      {!isFailed && isShown && <TileSkeleton />}
    </div>
  );
}

/** Proofs are of now, also beside a range in the past. */
function ProofLabel() {
  const isPast = useTimeRange().to_ms !== null;
  return (
    <span className="tile-label">
      Oldest proof{isPast && ", now"}
      <LaterTerm term="proof" name="Oldest proof" />
    </span>
  );
}
