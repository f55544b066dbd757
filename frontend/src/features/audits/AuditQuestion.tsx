import "@/features/orders/orders.css";
import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { auditEstimateQuery } from "@/api/audits";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import type { AuditEstimate } from "@/api/types";
import { sameAudit } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { exactNumber, plural } from "@/lib/format";

interface AuditQuestionProps {
  flow: FlowAddress;
  isStarting?: boolean;
  onStart: () => void;
  onClose: () => void;
}

/** Says what a full audit reads before it starts. */
export function AuditQuestion({ flow, isStarting = false, onStart, onClose }: AuditQuestionProps) {
  const { data, error } = useQuery(auditEstimateQuery(flow));
  return (
    <form
      aria-label="Audit everything"
      className="order-panel"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isStarting) onStart();
      }}
    >
      <h3>Audit everything</h3>
      <p className="muted" role="status">
        {data !== undefined && sentence(data, flow)}
        {data === undefined && error === null && "Counting what it reads…"}
        {error !== null && `What it reads is unknown: ${reasonOf(error)}`}
      </p>
      <ByHandNote same={sameAudit(flow)} />
      <div className="order-buttons">
        <Button size="xs" type="submit" disabled={data === undefined && error === null} loading={isStarting}>
          Start the audit
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

/** What a full audit reads, in words. Pure. */
export function sentence(estimate: AuditEstimate, { source, target }: FlowAddress): string {
  const { topics, partitions, records, unmeasured } = estimate;
  const where = `${plural(topics, "topic")} with ${plural(partitions, "partition")}`;
  if (records === null) return `Reads every record of ${where} on ${source}, and the copies on ${target}.`;
  const number = `at most ${exactNumber(records)} ${records === 1 ? "record" : "records"}`;
  const rest = unmeasured === 0 ? "" : ` Not counted: ${plural(unmeasured, "partition")} without a report.`;
  return `Reads ${where} on ${source}, ${number}, and as many copies on ${target}.${rest}`;
}
