import { Button, NativeSelect, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { actOnFlows } from "@/api/orders";
import type { BulkAction, BulkResult } from "@/api/types";
import { FormProblem } from "@/components/form/FormProblem";
import { StateBadge } from "@/components/StateBadge";
import "@/features/replications/many/many-flows.css";
import { ENDS, endOf } from "@/features/orders/order";
import { plural } from "@/lib/format";
import type { FlowRow } from "@/live/flow-row";

const ACTIONS: Readonly<Record<BulkAction, { label: string; effect: string }>> = {
  pause: { label: "Pause", effect: "No topic is copied, and every position is kept." },
  resume: { label: "Resume", effect: "Every partition continues where it stopped." },
  stop: {
    label: "Stop",
    effect: "The flows end all of their tasks, also their heartbeats. Their positions are kept.",
  },
  start: { label: "Start", effect: "Stopped flows start at their positions." },
  restart: { label: "Restart", effect: "All tasks of the flows begin again at their committed positions." },
  enable: { label: "Enable", effect: "The flows copy what their filters allow." },
  disable: {
    label: "Disable",
    effect: "The flows end their tasks and carry heartbeats only. Their positions are kept.",
  },
};

interface ManyFlowsProps {
  flows: readonly FlowRow[];
  onClear: () => void;
}

/** One action on the chosen flows, with a result per flow. */
export default function ManyFlows({ flows, onClear }: ManyFlowsProps) {
  const [action, setAction] = useState<BulkAction>("pause");
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const [typed, setTyped] = useState("");
  const queries = useQueryClient();
  const act = (dry_run: boolean) =>
    actOnFlows({
      action,
      reason: reason.trim(),
      flows: flows.map(({ source, target }) => ({ source, target })),
      dry_run,
      ...(action === "pause" || action === "stop" ? { until_ms: endOf(end, Date.now()) } : {}),
    });
  const order = useMutation({
    mutationFn: () => act(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ["flows"] }),
  });
  const rehearsal = useMutation({ mutationFn: () => act(true) });
  const forget = (): void => {
    order.reset();
    rehearsal.reset();
  };
  const { label, effect } = ACTIONS[action];
  const needsName = action === "disable" || action === "stop";
  const phrase = plural(flows.length, "flow");
  const isReady = reason.trim() !== "" && (!needsName || typed.trim() === phrase);
  const result = order.data ?? rehearsal.data;
  return (
    <form
      className="many-flows"
      aria-label="Action on the chosen flows"
      onChange={forget}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady && !order.isPending) order.mutate();
      }}
    >
      <p className="many-flows-count" role="status">
        {plural(flows.length, "flow")} chosen. <span className="muted">{effect}</span>
      </p>
      <div className="many-flows-fields">
        <NativeSelect
          size="xs"
          label="Action"
          data={Object.entries(ACTIONS).map(([value, { label }]) => ({ value, label }))}
          value={action}
          onChange={(event) => setAction(event.currentTarget.value as BulkAction)}
        />
        <TextInput
          size="xs"
          label="Reason"
          maxLength={500}
          required
          value={reason}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        {(action === "pause" || action === "stop") && (
          <NativeSelect
            size="xs"
            label="Ends"
            data={ENDS.map(({ value, label }) => ({ value, label }))}
            value={end}
            onChange={(event) => setEnd(event.currentTarget.value)}
          />
        )}
        {needsName && (
          <TextInput
            size="xs"
            label={`Type "${phrase}" to confirm`}
            autoComplete="off"
            value={typed}
            onChange={(event) => setTyped(event.currentTarget.value)}
          />
        )}
        <Button size="xs" type="submit" disabled={!isReady} loading={order.isPending}>
          {label} {phrase}
        </Button>
        <Button
          size="xs"
          variant="default"
          disabled={reason.trim() === ""}
          loading={rehearsal.isPending}
          onClick={() => rehearsal.mutate()}
        >
          Dry run
        </Button>
        <Button size="xs" variant="default" onClick={onClear}>
          Clear the choice
        </Button>
      </div>
      <FormProblem error={order.error ?? rehearsal.error} />
      {result !== undefined && <Outcome result={result} />}
    </form>
  );
}

const RESULTS = {
  done: { tone: "ok", word: "done" },
  unchanged: { tone: "idle", word: "unchanged" },
  refused: { tone: "bad", word: "refused" },
} as const;

function Outcome({ result }: { result: BulkResult }) {
  const { dry_run, done, unchanged, refused, results } = result;
  return (
    <div className="many-flows-outcome" role="status">
      <p>
        {dry_run ? "Would change" : "Changed"} {plural(done, "flow")}, {unchanged} unchanged, {refused}{" "}
        refused.
        {dry_run && " Nothing has changed yet."}
      </p>
      <ul>
        {results.map(({ source, target, result: one, text }) => (
          <li key={`${source}->${target}`}>
            {source} → {target} <StateBadge {...(dry_run && one === "done" ? WOULD : RESULTS[one])} />{" "}
            <span className="muted">{text}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const WOULD = { tone: "ok", word: "would change" } as const;
