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

const OTHERS = "Only source tasks restart alone: stop and start the flow to restart its other tasks";

/** The button that restarts a source task; an order cannot name the others, and the button says so. */
export function RestartTask({ task, name, onOrder }: RestartTaskProps) {
  const slot = task.kind === "source" ? wholeNumber(task.task.split("/").at(2) ?? "") : null;
  const { source, target, driver } = task;
  const noDriver = driver === null ? "No driver has the task" : null;
  return (
    <ReasonedButton
      size="compact-xs"
      variant="default"
      why={slot === null ? OTHERS : noDriver}
      aria-label={`Restart ${name}`}
      onClick={() => {
        if (slot === null) return;
        const scope = { topic: "", partition: null, task: slot };
        onOrder({ flow: { source, target }, kind: "restart", scope });
      }}
    >
      Restart
    </ReasonedButton>
  );
}
