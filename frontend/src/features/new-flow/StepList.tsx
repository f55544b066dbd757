import { IconCheck } from "@tabler/icons-react";
import { STEPS } from "@/features/new-flow/flow-form";

interface StepListProps {
  step: number;
  /** the first step that is not complete: later ones cannot be opened */
  open: number;
  onGo: (step: number) => void;
}

export function StepList({ step, open, onGo }: StepListProps) {
  return (
    <nav aria-label="Steps">
      <ol className="steps">
        {STEPS.map((name, at) => (
          <li key={name} data-state={at === step ? "now" : at < step ? "done" : "later"}>
            <button
              type="button"
              aria-current={at === step ? "step" : undefined}
              disabled={at > open}
              onClick={() => onGo(at)}
            >
              <span className="step-mark" aria-hidden>
                {at < step ? <IconCheck size={14} stroke={2.4} /> : at + 1}
              </span>
              {name}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
