import "@/components/form/form.css";
import { Button, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { describeFlow, flowVersionQuery } from "@/api/flow/flow-definition";
import { isOvertaken } from "@/api/problem";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { Flow } from "@/api/types";
import { sameDescription } from "@/components/by-hand/actions";
import { DescriptionFields } from "@/components/description/DescriptionFields";
import {
  DESCRIPTION_FIELDS,
  type DescriptionForm,
  descriptionChange,
  descriptionErrors,
  descriptionFormOf,
} from "@/components/description/description";
import { Dialog } from "@/components/dialog/Dialog";
import { FlowName } from "@/components/FlowName";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem, reasonIn } from "@/components/form/FormProblem";
import { reasonsLeft } from "@/components/form/refused";
import { useSessionState } from "@/components/form/useSessionState";
import { ErrorState, LoadingRows } from "@/components/states";

interface DescriptionDialogProps {
  flow: FlowAddress;
  onClose: () => void;
}

const TITLE = "Edit owner and labels";

/** Changes the owner, criticality, runbook and labels of a flow. */
export default function DescriptionDialog({ flow, onClose }: DescriptionDialogProps) {
  const { data, error, refetch } = useQuery(flowVersionQuery(flow));
  return (
    <Dialog label={`${TITLE}: ${flow.source} to ${flow.target}`} onClose={onClose}>
      <div className="card-body">
        <h2>{TITLE}</h2>
        <FlowName {...flow} />
        {data !== undefined && (
          <DescriptionEditor flow={flow} stored={data.data} etag={data.etag} onClose={onClose} />
        )}
        {data === undefined && error === null && <LoadingRows rows={4} label="Loading the flow" />}
        {data === undefined && error !== null && (
          <ErrorState what="The flow" error={error} onRetry={() => void refetch()} />
        )}
      </div>
    </Dialog>
  );
}

interface EditorProps extends DescriptionDialogProps {
  stored: Flow;
  etag: string | null;
}

/** The fields that were changed in the form; the others have the stored values. */
type Typed = Partial<DescriptionForm & { comment: string }>;

/** The fields of the description. What was typed outlives a new sign-in. */
function DescriptionEditor({ flow, stored, etag, onClose }: EditorProps) {
  const queries = useQueryClient();
  const [opened, setOpened] = useState(() => ({ form: descriptionFormOf(stored), etag }));
  const [typed, type, forget] = useSessionState<Typed>(`describe ${flow.source}->${flow.target}`, {});
  const form = { comment: "", ...opened.form, ...typed };
  const change = descriptionChange(form, opened.form);
  const comment = form.comment.trim();
  const close = () => {
    forget();
    onClose();
  };
  const save = useMutation({
    mutationFn: (_: typeof form) => describeFlow(flow, { ...change, comment }, opened.etag),
    onSuccess: async () => {
      await Promise.all(
        [flowQuery(flow).queryKey, ["flows"], ["flow-version"]].map((queryKey) =>
          queries.invalidateQueries({ queryKey }),
        ),
      );
      close();
    },
  });
  const takeOver = async () => {
    const { data, etag } = await queries.fetchQuery({ ...flowVersionQuery(flow), staleTime: 0 });
    setOpened({ form: descriptionFormOf(data), etag });
    save.reset();
  };
  const errors = descriptionErrors(form);
  const refused = reasonsLeft(save.error, save.variables, form, (name) =>
    DESCRIPTION_FIELDS.filter((field) => name.split(".")[0] === field),
  );
  const isReady = Object.keys(errors).length === 0 && Object.keys(change).length > 0;
  return (
    <form
      className="form"
      noValidate
      aria-label={TITLE}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !save.isPending) save.mutate(form);
      }}
    >
      <div className="form-fields">
        <DescriptionFields
          form={form}
          change={type}
          errors={Object.fromEntries(
            DESCRIPTION_FIELDS.map((field) => [field, errors[field] ?? reasonIn(refused, field)]),
          )}
        />
        <TextInput
          className="form-wide"
          label="Comment"
          description="Reason for the change; shown in the audit trail"
          maxLength={500}
          value={form.comment}
          onChange={({ currentTarget: { value } }) => type({ comment: value })}
        />
      </div>
      {isReady && <ByHandNote same={sameDescription(flow, change, comment)} />}
      <FormProblem error={save.error} shown={DESCRIPTION_FIELDS} />
      <div className="form-buttons">
        <Button
          type="submit"
          size="xs"
          variant={isOvertaken(save.error) ? "default" : "filled"}
          disabled={!isReady}
          loading={save.isPending}
        >
          Save
        </Button>
        {isOvertaken(save.error) && (
          <Button size="xs" onClick={() => void takeOver()}>
            Keep my values on top of these changes
          </Button>
        )}
        <Button size="xs" variant="default" onClick={close}>
          Cancel
        </Button>
      </div>
    </form>
  );
}
