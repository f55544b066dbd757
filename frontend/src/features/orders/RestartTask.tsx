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

/** The button that restarts a source task; an order cannot name the others, which have none. */
export function RestartTask({ task, name, onOrder }: RestartTaskProps) {
  const slot = task.kind === "source" ? wholeNumber(task.task.split("/").at(2) ?? "") : null;
  const { source, target, driver } = task;
  if (slot === null) return null;
  return (
    <ReasonedButton
      size="compact-xs"
      variant="default"
      why={driver === null ? "No driver has the task" : null}
      aria-label={`Restart ${name}`}
      onClick={() => {
        const scope = { topic: "", partition: null, task: slot };
        onOrder({ flow: { source, target }, kind: "restart", scope });
      }}
    >
      Restart
    </ReasonedButton>
  );
}
