import "@/components/form/form.css";
import "@/components/plan/plan.css";
import "@/features/new-flow/new-flow.css";
import { Button } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { useMay } from "@/api/personal";
import { flowsQuery } from "@/api/queries";
import type { ChangePlan } from "@/api/types";
import { EMPTY_DESCRIPTION } from "@/components/description/description";
import { MayNot } from "@/components/form/MayNot";
import { useSessionState } from "@/components/form/useSessionState";
import { Breadcrumbs, PageTitle } from "@/components/PageTitle";
import { errorsOf } from "@/components/preview/refusal";
import { useGroupPreview, useTopicPreview } from "@/components/preview/usePreview";
import { ClustersStep } from "@/features/new-flow/ClustersStep";
import { DeliveryStep } from "@/features/new-flow/DeliveryStep";
import { DiscardFlow } from "@/features/new-flow/DiscardFlow";
import {
  definitionOf,
  EMPTY_FLOW,
  firstOpenStep,
  STEPS,
  stepErrors,
  throttleOf,
} from "@/features/new-flow/flow-form";
import { GroupsStep } from "@/features/new-flow/GroupsStep";
import { ReviewStep } from "@/features/new-flow/ReviewStep";
import { flowRefusals, NAMING } from "@/features/new-flow/refusal";
import { createFlow, planQuery } from "@/features/new-flow/requests";
import { StepList } from "@/features/new-flow/StepList";
import { TopicsStep } from "@/features/new-flow/TopicsStep";

const TITLE = "New replication";

export function NewFlowPage() {
  const isRefused = !useMay("flows.change", true);
  if (isRefused) {
    return (
      <>
        <Crumbs />
        <PageTitle title={TITLE} />
        <MayNot act="create flows" needs="operator" />
      </>
    );
  }
  return <Wizard />;
}

function Crumbs() {
  return (
    <Breadcrumbs>
      {[
        <Link key="list" to="/replications" search={({ from, to }) => ({ from, to })}>
          Replications
        </Link>,
        TITLE,
      ]}
    </Breadcrumbs>
  );
}

function Wizard() {
  const [form, change, forget] = useSessionState("new flow", EMPTY_FLOW);
  const [place, setPlace] = useSessionState("new flow, step", { step: 0 });
  const [isSent, setSent] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: () => createFlow(definitionOf(form), throttleOf(form)),
    onSuccess: async (flow) => {
      forget();
      setPlace({ step: 0 });
      await queries.invalidateQueries({ queryKey: ["flows"] });
      await navigate({ to: "/replications/$source/$target", params: flow });
    },
  });
  const { data: known } = useQuery(flowsQuery);
  // the flow that this page creates is none that was there before
  const flows = create.isPending || create.isSuccess ? [] : (known?.flows ?? []);
  const step = Math.min(place.step, firstOpenStep(form, flows));
  const heading = useRef<HTMLHeadingElement>(null);
  const isFirst = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new step is announced by the focus on its heading
  useEffect(() => {
    if (!isFirst.current) heading.current?.focus();
    isFirst.current = false;
  }, [step]);
  const isLast = step === STEPS.length - 1;
  const topics = useTopicPreview(form, step === 1, NAMING);
  const groups = useGroupPreview(form, step === 2, NAMING);
  // the same plan, however the flow begins, with any description and any comment
  const planned = { ...form, ...EMPTY_DESCRIPTION, comment: "", begin: "running" } as const;
  const plan = useQuery(planQuery(isLast ? definitionOf(planned) : null));
  const isRefused = flowRefusals(plan.error).length > 0;
  const caution = isLast && form.begin === "running" && !isRefused ? cautionOf(plan) : null;
  const refused = errorsOf(step === 1 ? topics.refusals : step === 2 ? groups.refusals : []);
  const errors = { ...refused, ...(isSent && stepErrors(step, form, flows)) };
  const go = (to: number) => {
    setSent(false);
    create.reset();
    setPlace({ step: to });
  };
  const next = () => {
    if (Object.keys({ ...refused, ...stepErrors(step, form, flows) }).length > 0) setSent(true);
    else if (step < STEPS.length - 1) go(step + 1);
    else if (!create.isPending && !isRefused) create.mutate();
  };
  const fields = { form, change, errors };
  return (
    <>
      <Crumbs />
      <PageTitle title={TITLE}>
        <p>Copies topics from one cluster to another. Nothing is created before the last step.</p>
      </PageTitle>
      <StepList step={step} open={firstOpenStep(form, flows)} onGo={go} />
      <form
        className="form"
        noValidate
        aria-label={TITLE}
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
      >
        <h2 className="step-title" ref={heading} tabIndex={-1}>
          Step {step + 1} of {STEPS.length}: {STEPS[step]}
        </h2>
        {step === 0 && <ClustersStep {...fields} />}
        {step === 1 && <TopicsStep {...fields} preview={topics} />}
        {step === 2 && <GroupsStep {...fields} preview={groups} />}
        {step === 3 && <DeliveryStep {...fields} />}
        {isLast && <ReviewStep {...fields} plan={plan} error={create.error} onGo={go} />}
        <div className="form-buttons">
          {step > 0 && (
            <Button variant="default" disabled={create.isPending} onClick={() => go(step - 1)}>
              Back
            </Button>
          )}
          <Button
            type="submit"
            variant={caution === null ? "filled" : "default"}
            loading={create.isPending}
            disabled={isRefused}
          >
            {isLast ? (form.begin === "paused" ? "Create paused" : "Create and start") : "Next"}
          </Button>
          {caution !== null && <span className="muted">{caution}</span>}
          <DiscardFlow
            isEmpty={JSON.stringify(form) === JSON.stringify(EMPTY_FLOW)}
            onDiscard={() => {
              forget();
              setPlace({ step: 0 });
            }}
          />
        </div>
      </form>
    </>
  );
}

/** Why a flow that starts at once may copy nothing; null: nothing is known against it. */
function cautionOf({ data, error }: { data: ChangePlan | undefined; error: Error | null }): string | null {
  if (error !== null) return "Without a plan, it is not known whether the flow can copy.";
  const found = [
    ...(data?.findings ?? []),
    ...(data?.flows.flatMap(({ changes }) => changes.findings) ?? []),
  ];
  return found.some(({ severity }) => severity === "error")
    ? "Records that an error of the plan affects are not copied until it is fixed."
    : null;
}
