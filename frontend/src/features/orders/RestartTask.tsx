import type { FlowTask } from "@/api/types";
import { ReasonedButton } from "@/components/form/ReasonedButton";
import type { OpenOrder } from "@/features/orders/dialog/useOrderDialog";
import { wholeNumber } from "@/lib/words";

interface RestartTaskProps {
  task: FlowTask;
  /** names the task */
  name: string;
  onOrder: OpenOrder;
}

/** The button that restarts a source task; absent for others, which an order cannot name. */
export function RestartTask({ task, name, onOrder }: RestartTaskProps) {
  const slot = task.kind === "source" ? wholeNumber(task.task.split("/").at(2) ?? "") : null;
  if (slot === null) return null;
  const { source, target, driver } = task;
  const scope = { topic: "", partition: null, task: slot };
  return (
    <ReasonedButton
      size="compact-xs"
      variant="default"
      why={driver === null ? "No driver has the task" : null}
      aria-label={`Restart ${name}`}
      onClick={() => onOrder({ flow: { source, target }, kind: "restart", scope })}
    >
      Restart
    </ReasonedButton>
  );
}
