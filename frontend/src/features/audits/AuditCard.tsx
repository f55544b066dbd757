import "@/components/form/form.css";
import { Button } from "@mantine/core";
import { IconShieldCheck, IconShieldSearch, IconX } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { auditStateQuery, auditsKey, auditsQuery, cancelAudit, isOpen, startAudit } from "@/api/audits";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { Audit, AuditMode } from "@/api/types";
import { StaleNote } from "@/components/answer/Answered";
import { sameAuditCancel, sameNewAudit } from "@/components/by-hand/actions";
import { CallsToCopy } from "@/components/by-hand/CallsToCopy";
import { CommandsButton } from "@/components/by-hand/CommandsButton";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import { FormProblem } from "@/components/form/FormProblem";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { AuditList } from "@/features/audits/AuditList";
import { AuditProgress } from "@/features/audits/AuditProgress";
import { AuditQuestion } from "@/features/audits/AuditQuestion";
import { AuditResult } from "@/features/audits/AuditResult";
import { FindingsTable, useFindingsView } from "@/features/audits/FindingsTable";
import { RESULTS, recordsFound, SENTENCES, WORDS } from "@/features/audits/results";
import { dayAndTime, isoTime } from "@/lib/time";

interface AuditCardProps extends FlowAddress {
  provenUntilMs: number | null;
}

/** The audits of a flow: their combined result, the last ones, and the buttons to start another. */
export function AuditCard({ source, target, provenUntilMs }: AuditCardProps) {
  const flow = { source, target };
  const { data: audits, error, refetch, dataUpdatedAt } = useQuery(auditsQuery(flow));
  const newest = audits?.[0];
  const [isAsking, setAsking] = useState(false);
  const orders = useAuditOrders(flow);
  return (
    <Card
      title="Audit"
      note={provenUntilMs === null ? undefined : <Proven time_ms={provenUntilMs} />}
      tools={
        <>
          <AuditTools flow={flow} newest={newest} orders={orders} onAsk={() => setAsking(true)} />
          <HelpNote name="the results of audits" read={readResults} width={340} />
        </>
      }
    >
      <FormProblem error={orders.start.error ?? orders.cancel.error} />
      {isAsking && (
        <AuditQuestion
          flow={flow}
          onStart={() => {
            setAsking(false);
            orders.start.mutate("full");
          }}
          onClose={() => setAsking(false)}
        />
      )}
      {audits === undefined && error === null && <LoadingRows rows={2} label="Loading the audits" />}
      {audits === undefined && error !== null && (
        <ErrorState what="The audits" error={error} onRetry={() => void refetch()} />
      )}
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
      {audits !== undefined && newest === undefined && (
        <EmptyState icon={IconShieldSearch} title="This flow has not been audited yet">
          An audit compares source and copy and reports every missing, changed or reordered record.
        </EmptyState>
      )}
      {audits !== undefined && newest !== undefined && <Audits flow={flow} audits={audits} newest={newest} />}
    </Card>
  );
}

const readResults = async () => (
  <MeaningList meanings={RESULTS.map((result) => [WORDS[result], SENTENCES[result]])} />
);

function Proven({ time_ms }: { time_ms: number }) {
  return (
    <>
      Proven until <time dateTime={isoTime(time_ms)}>{dayAndTime(time_ms)}</time>
    </>
  );
}

interface AuditToolsProps {
  flow: FlowAddress;
  newest: Audit | undefined;
  orders: ReturnType<typeof useAuditOrders>;
  onAsk: () => void;
}

/** The start and the cancellation of an audit. */
function useAuditOrders(flow: FlowAddress) {
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: auditsKey(flow) });
  const start = useMutation({ mutationFn: (mode: AuditMode) => startAudit(flow, mode), onSettled });
  const cancel = useMutation({ mutationFn: (id: number) => cancelAudit(flow, id), onSettled });
  return { start, cancel };
}

function AuditTools({ flow, newest, orders: { start, cancel }, onAsk }: AuditToolsProps) {
  const mayAct = useMay("flows.act");
  if (!mayAct) return null;
  const isBusy = start.isPending || cancel.isPending;
  return (
    <>
      {newest !== undefined && isOpen(newest.state) ? (
        <>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconX size={14} aria-hidden />}
            loading={isBusy}
            onClick={() => cancel.mutate(newest.id)}
          >
            Cancel the audit
          </Button>
          <CommandsButton label="Command and request that cancel the audit">
            <CallsToCopy same={sameAuditCancel(flow, newest.id)} />
          </CommandsButton>
        </>
      ) : (
        <>
          <Button
            size="xs"
            leftSection={<IconShieldCheck size={14} aria-hidden />}
            loading={isBusy}
            onClick={onAsk}
          >
            Audit everything
          </Button>
          <Button size="xs" variant="default" disabled={isBusy} onClick={() => start.mutate("incremental")}>
            Audit new records
          </Button>
          <CommandsButton label="Command and request that audit new records">
            <CallsToCopy same={sameNewAudit(flow)} />
          </CommandsButton>
        </>
      )}
    </>
  );
}

interface AuditsProps {
  flow: FlowAddress;
  audits: readonly Audit[];
  newest: Audit;
}

function Audits({ flow, audits, newest }: AuditsProps) {
  const { audit: chosen } = useSearch({ from: "/replications/$source/$target" });
  const { data: state, error, refetch } = useQuery(auditStateQuery(flow, newest));
  const differing = state?.topics.find((topic) => topic.verdict === "different");
  const shown = chosen ?? differing?.audit_id ?? (recordsFound(newest.findings) > 0 ? newest.id : null);
  const view = useFindingsView(flow);
  const findings = audits.find((audit) => audit.id === shown)?.findings;
  return (
    <>
      {isOpen(newest.state) && <AuditProgress audit={newest} />}
      {state === undefined && error === null && <LoadingRows rows={1} label="Loading the audit result" />}
      {state === undefined && error !== null && (
        <ErrorState what="The audit result" error={error} onRetry={() => void refetch()} />
      )}
      {state !== undefined && <AuditResult state={state} />}
      <AuditList flow={flow} audits={audits} />
      {shown !== null && (
        <>
          <div className="control-part">
            <h3>Findings of audit {shown}</h3>
            <ColumnMenu {...view} />
            <ListCommands list="findings" flow={flow} part={String(shown)} />
          </div>
          <FindingsTable
            key={shown}
            flow={flow}
            audit_id={shown}
            records={recordsFound(findings)}
            view={view}
          />
        </>
      )}
    </>
  );
}
