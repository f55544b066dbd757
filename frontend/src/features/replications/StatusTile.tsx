import { Link } from "@tanstack/react-router";
import { Fragment, memo } from "react";
import { LaterTerm } from "@/components/definition/LaterNote";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { plural } from "@/lib/format";
import { countByStatus, toneOf } from "@/lib/status";
import type { FlowRow } from "@/live/flow-row";

/** A narrow tile has no room for the number of clusters beside so many flows; the heading of the topology has it. */
const LONG = 100;

/** The numbers of flows in total and by status, as a bar and as links that filter the table of flows. */
export function StatusTile({ flows, clusters }: { flows: readonly FlowRow[]; clusters: number }) {
  const isPast = useTimeRange().to_ms !== null;
  const counts = countByStatus(flows.map((flow) => flow.status));
  return (
    <div className="tile">
      <span className="tile-label">
        Replications{isPast && ", now"}
        <LaterTerm term="replications" name="Replications" />
      </span>
      <span className="tile-value" data-long={flows.length >= LONG || undefined}>
        {flows.length}
        <span className="unit">
          {flows.length === 1 ? "flow" : "flows"}
          <span className="tile-clusters"> · {plural(clusters, "cluster")}</span>
        </span>
      </span>
      <span className="status-bar" aria-hidden>
        {counts.map(({ status, count }) => (
          <span key={status} data-tone={toneOf(status)} style={{ flexGrow: count }} />
        ))}
      </span>
      <span className="tile-note tile-note-wraps">
        {counts.length === 0 && "none defined yet"}
        {counts.map(({ status, count }, place) => (
          <Fragment key={status}>
            {place > 0 && "\u00a0· "}
            <StatusLink status={status} count={count} />
          </Fragment>
        ))}
      </span>
    </div>
  );
}

/** Shows the flows of one status; pressed again, all of them. */
const StatusLink = memo(function StatusLink({ status, count }: { status: string; count: number }) {
  return (
    <Link
      to="/replications"
      className="status-link"
      search={(before) => ({ ...before, status: before.status === status ? undefined : status })}
      replace
      resetScroll={false}
      title={`Show the ${status} flows only, or all again`}
    >
      {count} {status}
    </Link>
  );
});
