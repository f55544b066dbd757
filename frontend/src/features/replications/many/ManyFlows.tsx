import { useQueryClient } from "@tanstack/react-query";
import { actOnFlows } from "@/api/orders";
import type { BulkAction } from "@/api/types";
import { type ManyAction, ManyForm } from "@/features/orders/many/ManyForm";
import type { FlowRow } from "@/live/flow-row";

const ACTIONS: Readonly<Record<BulkAction, ManyAction>> = {
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

const CONFIRMED: readonly BulkAction[] = ["disable", "stop"];

interface ManyFlowsProps {
  flows: readonly FlowRow[];
  onClear: () => void;
}

/** One action on the chosen flows, with a result per flow. */
export default function ManyFlows({ flows, onClear }: ManyFlowsProps) {
  const queries = useQueryClient();
  const pairs = flows.map(({ source, target }) => ({ source, target }));
  return (
    <ManyForm<BulkAction>
      one="flow"
      count={flows.length}
      actions={ACTIONS}
      first="pause"
      confirmed={CONFIRMED}
      act={async (order, dry_run) => {
        const { results } = await actOnFlows({ ...order, flows: pairs, dry_run });
        return results.map(({ source, target, ...one }) => ({ name: `${source} → ${target}`, ...one }));
      }}
      refresh={() => queries.invalidateQueries({ queryKey: ["flows"] })}
      onClear={onClear}
    />
  );
}
