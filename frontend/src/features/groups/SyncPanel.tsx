import "@/components/form/form.css";
import { Button, TextInput } from "@mantine/core";
import { IconArrowBarToRight, IconX } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { groupsKey, syncGroups } from "@/api/groups";
import type { FlowAddress } from "@/api/queries";
import type { SyncReceipts } from "@/api/types";
import { sameSync } from "@/components/by-hand/actions";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { useSessionState } from "@/components/form/useSessionState";
import { NameText } from "@/components/NameText";
import { ErrorState, LoadingRows } from "@/components/states";
import { ReceiptTable } from "@/features/groups/ReceiptTable";
import { SkippedGroups } from "@/features/groups/SkippedGroups";
import { plural } from "@/lib/format";

interface SyncPanelProps {
  flow: FlowAddress;
  /** none: all groups of the flow */
  groups: readonly string[];
  onClose: () => void;
}

/** Shows what a sync would write, writes it after a second press, then shows the receipt. */
export function SyncPanel({ flow, groups, onClose }: SyncPanelProps) {
  const queries = useQueryClient();
  const heading = useRef<HTMLHeadingElement>(null);
  const rehearsal = useMutation({ mutationFn: () => syncGroups(flow, groups, true, "") });
  const [{ reason }, change, forget] = useSessionState(
    `sync ${flow.source}->${flow.target} ${groups.join(" ")}`.trim(),
    { reason: "" },
  );
  const order = useMutation({
    mutationFn: () => syncGroups(flow, groups, false, reason.trim()),
    onSuccess: forget,
    onSettled: () => queries.invalidateQueries({ queryKey: groupsKey(flow) }),
  });
  const rehearse = rehearsal.mutate;
  useEffect(() => {
    heading.current?.focus();
    rehearse();
  }, [rehearse]);
  const shown = order.data ?? rehearsal.data;
  const error = order.error ?? rehearsal.error;
  const checkAgain = () => {
    order.reset();
    rehearse();
  };
  const subject = groups.length === 0 ? "all groups" : groups.join(", ");
  return (
    <section className="sync-panel" aria-label={`Sync of ${subject}`}>
      <header>
        <h3 ref={heading} tabIndex={-1}>
          <span>
            {order.data === undefined ? "Sync of" : "Receipt of the sync of"} <NameText name={subject} />
            {order.data === undefined && ": what would be written"}
          </span>
        </h3>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconX size={14} aria-hidden />}
          disabled={order.isPending}
          onClick={() => {
            forget();
            onClose();
          }}
        >
          {order.data === undefined ? "Cancel" : "Close the receipt"}
        </Button>
        {order.data === undefined && error === null && (
          <Button
            size="xs"
            leftSection={<IconArrowBarToRight size={14} aria-hidden />}
            loading={order.isPending}
            disabled={(rehearsal.data?.counts.written ?? 0) === 0}
            onClick={() => order.mutate()}
          >
            {writeWord(rehearsal.data)}
          </Button>
        )}
      </header>
      {order.data === undefined && (
        <>
          <TextInput
            size="xs"
            className="form-short"
            label="Reason"
            description="Shown in the audit trail"
            value={reason}
            maxLength={500}
            onChange={(event) => change({ reason: event.currentTarget.value })}
          />
          <ByHandNote same={sameSync(flow, groups, reason.trim())} />
        </>
      )}
      {shown === undefined && error === null && (
        <LoadingRows rows={2} label="Asking the control worker what would be written" />
      )}
      {order.error !== null && (
        <>
          <p>The offsets may not have been written.</p>
          <FormProblem error={order.error} />
          <div className="form-buttons">
            <Button size="xs" onClick={checkAgain}>
              Repeat the dry run
            </Button>
            <Button size="xs" variant="default" onClick={() => order.mutate()}>
              Write again
            </Button>
          </div>
        </>
      )}
      {order.error === null && rehearsal.error !== null && (
        <ErrorState what="The dry run" error={rehearsal.error} onRetry={rehearse} />
      )}
      {shown !== undefined && error === null && (
        <>
          <p className="muted" role="status">
            {summaryOf(shown)}
          </p>
          {shown.unlooked.map((part) => (
            <p key={part.part} className="group-unlooked">
              Not known: {part.reason}
            </p>
          ))}
          {shown.skipped.length > 0 && <SkippedGroups skipped={shown.skipped} total={shown.skipped.length} />}
          {shown.items.length > 0 && <ReceiptTable receipts={shown.items} isRehearsal={shown.dry_run} />}
        </>
      )}
    </section>
  );
}

function writeWord(rehearsed: SyncReceipts | undefined): string {
  const written = rehearsed?.counts.written ?? 0;
  return written === 0 ? "Nothing to write" : `Write ${plural(written, "offset")} to the target`;
}

function summaryOf({ counts, dry_run, items }: SyncReceipts): string {
  const skipping = items.filter((receipt) => receipt.skips !== 0);
  const parts = [
    `${plural(counts.written, "offset")} ${dry_run ? "would be written" : "written"}`,
    `${counts.unchanged.toLocaleString("en-US")} unchanged`,
    `${counts.refused.toLocaleString("en-US")} refused`,
    `${counts.impossible.toLocaleString("en-US")} without a safe place`,
  ];
  const total = counts.written + counts.unchanged + counts.refused + counts.impossible;
  const more =
    items.length < total ? ` The first ${plural(items.length, "receipt")} of ${total} are shown.` : "";
  const skipped =
    skipping.length === 0
      ? "Nothing is skipped."
      : `In ${plural(skipping.length, "partition")} the group would not read records on the target: see the results.`;
  return `${parts.join(", ")}. ${skipped}${more}`;
}
