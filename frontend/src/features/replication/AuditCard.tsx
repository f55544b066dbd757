import { Button } from "@mantine/core";
import { IconShieldCheck, IconShieldSearch, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { cancelAudit, isOpen, lastAuditQuery, startAudit } from "@/api/audits";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { Audit, AuditMode } from "@/api/types";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { FindingsTable } from "@/features/replication/FindingsTable";
import { formatCount, plural } from "@/lib/format";
import type { Tone } from "@/lib/status";
import { dayAndTime, isoTime } from "@/lib/time";

interface AuditCardProps extends FlowAddress {
  provenUntilMs: number | null;
}

/** Proof that the copy holds every record: the last audit, what it found, and the buttons to start another. */
export function AuditCard({ source, target, provenUntilMs }: AuditCardProps) {
  const flow = { source, target };
  const { data: audit, error, refetch } = useQuery(lastAuditQuery(flow));
  return (
    <Card
      title="Audit"
      note={<Proven time_ms={provenUntilMs} />}
      tools={<AuditTools flow={flow} audit={audit} />}
    >
      {audit === undefined && error === null && <LoadingRows rows={2} label="Loading the last audit" />}
      {audit === undefined && error !== null && (
        <ErrorState what="The audits" error={error} onRetry={() => void refetch()} />
      )}
      {audit === null && (
        <EmptyState icon={IconShieldSearch} title="This flow has not been audited yet">
          An audit reads source and copy and tells every record that is missing, changed or out of place.
        </EmptyState>
      )}
      {audit != null && <LastAudit flow={flow} audit={audit} />}
    </Card>
  );
}

function Proven({ time_ms }: { time_ms: number | null }) {
  if (time_ms === null) return <Unknown why="no audit has proven every topic yet" />;
  return (
    <>
      Proven until <time dateTime={isoTime(time_ms)}>{dayAndTime(time_ms)}</time>
    </>
  );
}

interface AuditToolsProps {
  flow: FlowAddress;
  audit: Audit | null | undefined;
}

function AuditTools({ flow, audit }: AuditToolsProps) {
  const me = useQuery(meQuery);
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: lastAuditQuery(flow).queryKey });
  const start = useMutation({ mutationFn: (mode: AuditMode) => startAudit(flow, mode), onSettled });
  const cancel = useMutation({ mutationFn: (id: number) => cancelAudit(flow, id), onSettled });
  if (!me.data?.permissions.includes("flows.act")) return null;
  const failure = start.error ?? cancel.error;
  const isBusy = start.isPending || cancel.isPending;
  return (
    <>
      {failure !== null && <span role="alert">{failure.message}</span>}
      {audit != null && isOpen(audit.state) ? (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconX size={14} aria-hidden />}
          loading={isBusy}
          onClick={() => cancel.mutate(audit.id)}
        >
          Cancel the audit
        </Button>
      ) : (
        <Button.Group>
          <Button
            size="xs"
            leftSection={<IconShieldCheck size={14} aria-hidden />}
            loading={isBusy}
            onClick={() => start.mutate("full")}
          >
            Audit everything
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => start.mutate("incremental")}>
            Only what is new
          </Button>
        </Button.Group>
      )}
    </>
  );
}

const VERDICTS: Record<Audit["verdict"], string> = {
  counts_agree: "The numbers of records agree; of some topics nothing else can be compared",
  equal: "Source and copy hold the same records",
  warnings: "Nothing is missing unexplained; some records came twice or were left out on record",
  different: "Source and copy differ",
  unknown: "Not everything has been compared",
};

const TONES: Record<Audit["verdict"], Tone> = {
  counts_agree: "ok",
  equal: "ok",
  warnings: "warn",
  different: "bad",
  unknown: "idle",
};

function LastAudit({ flow, audit }: { flow: FlowAddress; audit: Audit }) {
  const found = Object.values(audit.findings).reduce((sum, records) => sum + records, 0);
  return (
    <>
      <div className="reason-banner" data-tone={TONES[audit.verdict]}>
        <p>{isOpen(audit.state) ? progressOf(audit) : VERDICTS[audit.verdict]}</p>
        <p className="reason-place">
          Audit {audit.id}
          {audit.requested_ms !== null && `, ${dayAndTime(audit.requested_ms)}`}, {audit.state}:{" "}
          {formatCount(audit.records_source)} records of {plural(audit.topics_done, "topic")} compared
          {audit.error !== null && `; ${audit.error}`}
        </p>
      </div>
      {found > 0 && <FindingsTable flow={flow} audit={audit} records={found} />}
    </>
  );
}

function progressOf({ state, progress }: Audit): string {
  if (state === "requested") return "Waiting for the metrics process of the target";
  const share = progress.done === null ? "" : `${Math.round(100 * progress.done)} %, `;
  return `${share}${progress.text || "comparing"}`;
}
