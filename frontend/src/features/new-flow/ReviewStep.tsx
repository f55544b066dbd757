import { Button, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ChangePlan } from "@/api/types";
import { Card } from "@/components/Card";
import { DescriptionFields } from "@/components/description/DescriptionFields";
import { DESCRIPTION_FIELDS } from "@/components/description/description";
import { ByHandNote } from "@/components/form/ByHandNote";
import { FormProblem } from "@/components/form/FormProblem";
import { FormSection } from "@/components/form/FormSection";
import { ErrorState, LoadingRows } from "@/components/states";
import type { StepProps } from "@/features/new-flow/ClustersStep";
import { sameFlow } from "@/features/new-flow/commands";
import { FlowPlanView } from "@/features/new-flow/FlowPlanView";
import { definitionOf, type FlowForm, STEPS, stepOf, throttleOf } from "@/features/new-flow/flow-form";
import { type FlowRefusal, flowRefusals } from "@/features/new-flow/refusal";
import { HalfDone } from "@/features/new-flow/requests";

const BEGINS = [
  { value: "running", label: "Start at once", hint: "The first records are on the target within seconds." },
  { value: "paused", label: "Create paused", hint: "Nothing is copied before someone resumes the flow." },
] as const;

interface ReviewStepProps extends StepProps {
  plan: { data: ChangePlan | undefined; error: Error | null; refetch: () => unknown };
  error: Error | null;
  onGo: (step: number) => void;
}

/** The plan of the new flow, and how it begins. */
export function ReviewStep({ form, change, errors, plan, error, onGo }: ReviewStepProps) {
  const hasErrors = DESCRIPTION_FIELDS.some((field) => errors[field] !== undefined);
  const refusals = flowRefusals(plan.error);
  const flow = plan.data?.flows.find(
    ({ source, target }) => source === form.source && target === form.target,
  );
  return (
    <>
      <Card title="Plan" note={`${form.source} to ${form.target}; nothing has changed yet`}>
        {plan.data === undefined && plan.error === null && (
          <LoadingRows rows={4} label="Asking both clusters what the flow would do" />
        )}
        {refusals.length > 0 && <Refused refusals={refusals} onGo={onGo} />}
        {plan.error !== null && refusals.length === 0 && (
          <ErrorState what="The plan" error={plan.error} onRetry={() => void plan.refetch()} />
        )}
        {plan.data !== undefined && (
          <FlowPlanView plan={flow} findings={plan.data.findings} throttle={throttleOf(form)} />
        )}
      </Card>
      <FormSection
        title="How it begins"
        text="The comment is shown with the version of the configuration and in the audit trail."
      >
        <fieldset className="choices form-wide" aria-label="How it begins">
          {BEGINS.map(({ value, label, hint }) => (
            <label key={value} className="check">
              <input
                type="radio"
                name="begin"
                value={value}
                checked={form.begin === value}
                onChange={() => change({ begin: value satisfies FlowForm["begin"] })}
              />
              <span>
                {label}
                <small>{hint}</small>
              </span>
            </label>
          ))}
        </fieldset>
        <TextInput
          className="form-wide"
          label="Comment"
          description={
            form.begin === "paused"
              ? "The reason of the pause, and why the flow exists"
              : "Why the flow exists"
          }
          maxLength={500}
          value={form.comment}
          onChange={(event) => change({ comment: event.currentTarget.value })}
        />
      </FormSection>
      <details className="wizard-more" open={hasErrors || undefined}>
        <summary>Owner and labels</summary>
        <div className="form-fields">
          <DescriptionFields form={form} change={change} errors={errors} />
        </div>
      </details>
      <ByHandNote same={sameFlow(definitionOf(form), throttleOf(form))} />
      <FormProblem error={error} />
      {error instanceof HalfDone && (
        <p>
          <Link to="/replications/$source/$target" params={{ source: form.source, target: form.target }}>
            Open the flow
          </Link>
        </p>
      )}
    </>
  );
}

/** Why the flow cannot be created as it is, each reason with the step that mends it. */
function Refused({ refusals, onGo }: { refusals: readonly FlowRefusal[]; onGo: (step: number) => void }) {
  return (
    <div role="alert" className="card-body">
      <p>
        <strong>The flow is not valid.</strong> Nothing can be created before this is corrected.
      </p>
      <ul className="refusals">
        {refusals.map(({ field, text }) => (
          <li key={`${field} ${text}`}>
            {text}
            {field !== null && (
              <Button variant="subtle" size="compact-sm" onClick={() => onGo(stepOf(field))}>
                Correct it in step {stepOf(field) + 1}: {STEPS[stepOf(field)]}
              </Button>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}
