import { Button, NativeSelect, Textarea, TextInput } from "@mantine/core";
import { IconFileUpload } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useRef } from "react";
import { ApiProblem } from "@/api/problem";
import { flowsQuery } from "@/api/queries";
import type { Applied, TreeFormat } from "@/api/types";
import { sameImport } from "@/components/by-hand/actions";
import { Card } from "@/components/Card";
import { ByHandNote } from "@/components/form/ByHandNote";
import { Check } from "@/components/form/Check";
import { useSessionState } from "@/components/form/useSessionState";
import { CommentField } from "@/features/configuration/CommentField";
import { Findings } from "@/features/configuration/Findings";
import { Effect } from "@/features/configuration/history/RevertPanel";
import { importFile } from "@/features/configuration/requests";
import { ApplyProblem } from "@/features/configuration/review/ApplyForm";
import { keepApplied } from "@/features/configuration/rollout/applied";
import { FORMAT_OPTIONS, FORMATS, formatOf } from "@/features/configuration/transfer/formats";
import type { ByHand } from "@/lib/by-hand";
import { plural } from "@/lib/format";
import { mayBeSecret } from "@/lib/stored/secrets";

const EMPTY = { text: "", comment: "", replace: false };

/** A text that may hold a secret does not outlive the page. */
function withoutSecrets({ text, ...kept }: typeof EMPTY & { name: string; format: TreeFormat }) {
  return mayBeSecret(text) ? kept : { ...kept, text };
}

/** A file that is read, checked as a whole, and becomes the next version. */
export function ImportCard({ dialect }: { dialect: TreeFormat }) {
  const [form, setForm, forget] = useSessionState(
    "import",
    { ...EMPTY, name: FORMATS[dialect].file, format: dialect },
    withoutSecrets,
  );
  const { data: fleet } = useQuery(flowsQuery);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const name = form.name.trim();
  const send = (dry_run: boolean, etag: string | null) => importFile({ ...form, name, dry_run }, etag);
  const check = useMutation({ mutationFn: () => send(true, null) });
  const order = useMutation({
    mutationFn: () => send(false, check.data?.etag ?? null),
    onSuccess: async ({ data }) => {
      forget();
      keepApplied(queries, data, fleet?.flows ?? []);
      await queries.invalidateQueries({ queryKey: ["configuration"] });
      await navigate({
        to: "/configuration/history",
        search: ({ from, to }) => ({ from, to, from_version: data.version - 1, to_version: data.version }),
      });
    },
  });
  const change = (change: Partial<typeof form>) => {
    check.reset();
    order.reset();
    setForm(change);
  };
  const effect = check.data?.data;
  const isComplete = form.text.trim() !== "" && name !== "";
  return (
    <Card title="Import" note="nothing changes before you apply it">
      <form
        className="form-panel import-form"
        aria-label="Import"
        onSubmit={(event) => {
          event.preventDefault();
          if (isComplete && !check.isPending) check.mutate();
        }}
      >
        <div className="form-fields">
          <NativeSelect
            label="Format"
            data={FORMAT_OPTIONS}
            value={form.format}
            onChange={(event) => {
              const format = event.currentTarget.value as TreeFormat;
              // a name that was not typed is that of the format
              change({ format, ...(name === FORMATS[form.format].file && { name: FORMATS[format].file }) });
            }}
          />
          <TextInput
            label="Name of the file"
            description="Kept as the origin of its properties; a later import of the same name replaces them"
            required
            value={form.name}
            error={name === "" && "Enter the name of the file"}
            maxLength={200}
            onChange={(event) => change({ name: event.currentTarget.value })}
          />
        </div>
        <ChooseFile onRead={(text, name) => change({ text, name, format: formatOf(text, form.format) })} />
        <Textarea
          label="Content"
          description={`Choose a file or paste its text, such as ${FORMATS[form.format].example}`}
          autosize={false}
          rows={12}
          spellCheck={false}
          value={form.text}
          onChange={(event) => change({ text: event.currentTarget.value })}
        />
        <Check
          label="Remove all properties that the file does not contain"
          hint="Otherwise they stay, except those of an earlier import of a file of this name"
          isChecked={form.replace}
          onChange={(replace) => change({ replace })}
        />
        <div className="form-buttons">
          <Button type="submit" variant="default" disabled={!isComplete} loading={check.isPending}>
            Check the file
          </Button>
        </div>
      </form>
      <Refusal error={check.error} text={form.text} />
      {effect !== undefined && (
        <ImportOrder
          effect={effect}
          text={form.text}
          comment={form.comment}
          same={sameImport(name, form.format, form.replace, form.comment.trim())}
          onComment={(comment) => setForm({ comment })}
          isPending={order.isPending}
          error={order.error}
          onApply={() => order.mutate()}
        />
      )}
    </Card>
  );
}

function ChooseFile({ onRead }: { onRead: (text: string, name: string) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File to import"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file !== undefined) void file.text().then((text) => onRead(text, file.name));
          event.currentTarget.value = "";
        }}
      />
      <Button
        size="xs"
        variant="default"
        leftSection={<IconFileUpload size={14} aria-hidden />}
        onClick={() => input.current?.click()}
      >
        Choose a file
      </Button>
    </div>
  );
}

/** All errors of a file at once, each with its line. */
function Refusal({ error, text }: { error: Error | null; text: string }) {
  if (!(error instanceof ApiProblem) || error.findings.length === 0) {
    return error === null ? null : (
      <div className="card-body">
        <ApplyProblem error={error} />
      </div>
    );
  }
  const count = (wanted: string) => error.findings.filter(({ severity }) => severity === wanted).length;
  const warnings = count("warning");
  const told = [plural(count("error"), "error"), ...(warnings > 0 ? [plural(warnings, "warning")] : [])];
  return (
    <div className="card-body import-result" role="alert">
      <p>
        <strong>The file has {told.join(" and ")}.</strong> Nothing was changed.
      </p>
      <Findings findings={error.findings} text={text} />
    </div>
  );
}

interface ImportOrderProps {
  effect: Applied;
  text: string;
  comment: string;
  same: ByHand;
  onComment: (comment: string) => void;
  isPending: boolean;
  error: Error | null;
  onApply: () => void;
}

/** What a checked file would change, and the order to apply it. */
function ImportOrder({
  effect,
  text,
  comment,
  same,
  onComment,
  isPending,
  error,
  onApply,
}: ImportOrderProps) {
  const { findings } = effect;
  return (
    <form
      className="card-body import-result"
      aria-label="Apply the import"
      onSubmit={(event) => {
        event.preventDefault();
        if (effect.changed && !isPending) onApply();
      }}
    >
      <p role="status">
        <strong>
          {findings.length === 0
            ? "The file is in order."
            : `The file is valid, with ${plural(findings.length, "remark")}.`}
        </strong>
      </p>
      <Findings findings={findings} text={text} />
      {effect.changed && <p>{counted(effect.differences)}</p>}
      <Effect effect={{ ...effect, findings: [] }} />
      <CommentField value={comment} onChange={onComment} />
      <ByHandNote same={same} />
      <ApplyProblem error={error} />
      <div className="form-buttons">
        <Button type="submit" disabled={!effect.changed} loading={isPending}>
          Apply the import
        </Button>
      </div>
    </form>
  );
}

/** How many properties an import adds, changes and removes. */
function counted(differences: Applied["differences"]): string {
  const added = differences.filter(({ before }) => before === null).length;
  const removed = differences.filter(({ after }) => after === null).length;
  const changed = differences.length - added - removed;
  return `The import adds ${plural(added, "property", "properties")}, changes ${changed} and removes ${removed}.`;
}
