import type { Audit } from "@/api/types";
import { formatCount, plural } from "@/lib/format";
import { duration } from "@/lib/time";

/** The metrics process sends a heartbeat every two seconds; after this time another one may take over. */
const SILENT_MS = 15_000;

/** The progress of an audit, with a warning when the metrics process does not respond. */
export function AuditProgress({ audit }: { audit: Audit }) {
  const silence = audit.silent_ms !== null && audit.silent_ms > SILENT_MS ? duration(audit.silent_ms) : null;
  return (
    <div className="reason-banner" data-tone={silence === null ? "idle" : "warn"}>
      <p>
        Audit {audit.id}: {progressOf(audit, silence)}
      </p>
      {audit.state === "running" && silence !== null && (
        <p>The metrics process has not answered for {silence}</p>
      )}
      <p className="reason-place">
        {formatCount(audit.records_source)} records of {plural(audit.topics_done, "topic")} compared
      </p>
    </div>
  );
}

function progressOf({ state, progress }: Audit, silence: string | null): string {
  if (state === "requested") {
    return `waiting for the metrics process of the target${silence === null ? "" : `, for ${silence}`}`;
  }
  const share = progress.done === null ? "" : `${Math.round(100 * progress.done)} %, `;
  return `${share}${progress.text || "comparing"}`;
}
