import { useQuery } from "@tanstack/react-query";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { Tone } from "@/lib/status";

interface ChipsProps {
  desired: number | null;
  applied: number | null;
  isApplied: boolean;
}

/** The desired revision, and the one that the drivers have applied. */
export function Chips({ desired, applied, isApplied }: ChipsProps) {
  const tone: Tone = isApplied ? "ok" : applied === null ? "idle" : "warn";
  return (
    <span className="revision-chips">
      <span className="badge" data-tone="idle">
        Desired {desired ?? "none"}
      </span>
      <span className="badge" data-tone={tone}>
        Applied {applied ?? "unknown"}
      </span>
    </span>
  );
}

/** The revisions of one flow. */
export function RevisionChips({ flow }: { flow: FlowAddress }) {
  const { data } = useQuery(flowQuery(flow));
  if (data === undefined) return null;
  const { desired, is_applied, tasks } = data.revisions;
  const applied = tasks.map((task) => task.applied).filter((revision) => revision !== null);
  return (
    <Chips
      desired={desired}
      applied={applied.length === 0 ? null : Math.min(...applied)}
      isApplied={is_applied === true}
    />
  );
}
