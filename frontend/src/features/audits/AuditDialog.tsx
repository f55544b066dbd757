import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { auditsKey, startAudit } from "@/api/audits";
import type { FlowAddress } from "@/api/queries";
import { Dialog } from "@/components/dialog/Dialog";
import { FlowName } from "@/components/FlowName";
import { FormProblem } from "@/components/form/FormProblem";
import { AuditQuestion } from "@/features/audits/AuditQuestion";

interface AuditDialogProps {
  flow: FlowAddress;
  onClose: () => void;
}

/** What a full audit reads, over any page; its start leads to the flow, where its progress is. */
export default function AuditDialog({ flow, onClose }: AuditDialogProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const start = useMutation({
    mutationFn: () => startAudit(flow, "full"),
    onSuccess: async () => {
      onClose();
      await navigate({
        to: "/replications/$source/$target",
        params: { ...flow },
        search: ({ from, to }) => ({ from, to }),
      });
    },
    onSettled: () => queries.invalidateQueries({ queryKey: auditsKey(flow) }),
  });
  return (
    <Dialog label={`Audit: ${flow.source} to ${flow.target}`} onClose={onClose}>
      <FlowName {...flow} />
      <AuditQuestion flow={flow} isStarting={start.isPending} onStart={start.mutate} onClose={onClose} />
      <FormProblem error={start.error} />
    </Dialog>
  );
}
