import { proofOf } from "@/features/replications/proof";
import { useFlowFactsAnswer } from "@/features/replications/table/facts";
import { plural } from "@/lib/format";
import { duration, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** The age of the oldest proof among the flows, and how many have none. */
export function ProofTile() {
  const { data: facts, status } = useFlowFactsAnswer();
  const now_ms = useNow(10_000);
  if (facts === undefined) return <NoProof isFailed={status === "error"} />;
  const { expected, proven, oldest } = proofOf(facts.values());
  return (
    <div className="tile" title={oldest === null ? undefined : `Proven until ${isoTime(oldest.until_ms)}`}>
      <span className="tile-label">Oldest proof</span>
      {oldest === null ? (
        <span className="tile-unknown">none yet</span>
      ) : (
        <span className="tile-value">
          {duration(now_ms - oldest.until_ms).replace(/ h .*/, " h")}
          <span className="unit">ago</span>
        </span>
      )}
      {oldest !== null && (
        <span className="tile-note">
          {oldest.flow.source} → {oldest.flow.target}
        </span>
      )}
      <span className="tile-note tile-note-wraps">
        {proven} of {plural(expected, "flow")} proven
      </span>
    </div>
  );
}

function NoProof({ isFailed }: { isFailed: boolean }) {
  return (
    <div className="tile">
      <span className="tile-label">Oldest proof</span>
      {isFailed && <span className="tile-unknown">not loaded</span>}
    </div>
  );
}
