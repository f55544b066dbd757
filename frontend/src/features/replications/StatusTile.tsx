import { plural } from "@/lib/format";
import { countByStatus, toneOf } from "@/lib/status";
import type { FlowRow } from "@/live/flow-row";

/** The numbers of flows in total and by status, as text and as a bar. */
export function StatusTile({ flows, clusters }: { flows: readonly FlowRow[]; clusters: number }) {
  const counts = countByStatus(flows.map((flow) => flow.status));
  const words = counts.map(({ status, count }) => `${count}\u00a0${status}`).join(" · ");
  return (
    <div className="tile">
      <span className="tile-label">Replications</span>
      <span className="tile-value">
        {flows.length}
        <span className="unit">
          {flows.length === 1 ? "flow" : "flows"} · {plural(clusters, "cluster")}
        </span>
      </span>
      <span className="status-bar" aria-hidden>
        {counts.map(({ status, count }) => (
          <span key={status} data-tone={toneOf(status)} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className="tile-note tile-note-wraps">{words === "" ? "none defined yet" : words}</span>
    </div>
  );
}
