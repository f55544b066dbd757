import { partName } from "@/lib/format";
import type { FlowRow } from "@/live/flow-row";

/** The reason of a status; nothing for a healthy flow. */
export function FlowReason({ flow }: { flow: FlowRow }) {
  if (flow.status === "healthy" || !flow.reason) return null;
  const { cause } = flow;
  const place = cause?.topic == null ? "" : partName(cause.topic, cause.partition);
  const isNamed = place !== "" && flow.reason.includes(cause?.topic ?? "");
  return (
    <span className="reason">
      {flow.reason}
      {place !== "" && !isNamed && <span className="reason-place"> ({place})</span>}
    </span>
  );
}
