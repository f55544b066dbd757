import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ApiProblem } from "@/api/problem";
import type { ChangePlan } from "@/api/types";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { ErrorState, LoadingRows } from "@/components/states";
import { Findings } from "@/features/configuration/Findings";
import { draftPlanQuery } from "@/features/configuration/requests";
import { FlowPlanCard } from "@/features/configuration/review/FlowPlanCard";
import { type PlanSum, sumOf } from "@/features/configuration/review/summary";
import { bytes, exactNumber, joined, records } from "@/lib/format";

/** The effect of a draft on clusters and flows, asked of the drivers; nothing has changed yet. */
export function PlanCard({ draft, edition }: { draft: number; edition: string }) {
  const { data, error, refetch } = useQuery(draftPlanQuery(draft, edition));
  return (
    <>
      <Card title="Plan" note="the effect on every flow; nothing has changed yet">
        {data === undefined && error === null && (
          <LoadingRows rows={3} label="Asking the drivers what the draft would do" />
        )}
        {data === undefined && error !== null && <PlanError error={error} onRetry={() => void refetch()} />}
        {data !== undefined && <PlanSummary plan={data} />}
      </Card>
      {data?.flows.map((flow) => (
        <FlowPlanCard key={`${flow.source} ${flow.target}`} plan={flow} />
      ))}
    </>
  );
}

function PlanError({ error, onRetry }: { error: Error; onRetry: () => void }) {
  if (error instanceof ApiProblem && error.status === 403) {
    return (
      <p className="card-body muted">
        {error.message}. The plan would send credentials to the addresses of the draft: ask an admin to review
        it.
      </p>
    );
  }
  return <ErrorState what="The plan" error={error} onRetry={onRetry} />;
}

function PlanSummary({ plan }: { plan: ChangePlan }) {
  const sum = sumOf(plan);
  return (
    <>
      <dl className="plan-facts">
        <Fact name="Flows that change">{exactNumber(sum.flows)}</Fact>
        <Fact name="Clusters that change">
          {plan.clusters.length === 0 ? "0" : <ClusterLinks aliases={plan.clusters} />}
        </Fact>
        <Fact name="Topics to create">{counted(sum.topics_created)}</Fact>
        <Fact name="Slots that restart">{counted(sum.restarts)}</Fact>
        <Fact name="Records to copy">
          {sum.records === null ? <NotKnown /> : bound(sum, records(sum.records).value)}
        </Fact>
        <Fact name="Bytes to copy">
          {sum.bytes === null ? <NotKnown /> : bound(sum, joined(bytes(sum.bytes)))}
        </Fact>
      </dl>
      <div className="card-body plan-remarks">
        {sum.flows === 0 && <p>No flow changes its values.</p>}
        {sum.errors > 0 && (
          <p>
            <StateBadge tone="bad" word="Held back" /> What an error names is not applied until it is fixed;
            the rest is.
          </p>
        )}
        <Findings findings={plan.findings.map((finding) => ({ ...finding, line: null }))} />
      </div>
    </>
  );
}

function ClusterLinks({ aliases }: { aliases: readonly string[] }) {
  return aliases.map((alias, place) => (
    <span key={alias}>
      {place > 0 && ", "}
      <Link to="/clusters/$alias" params={{ alias }}>
        {alias}
      </Link>
    </span>
  ));
}

function bound({ isUpperBound }: PlanSum, text: string): string {
  return isUpperBound ? `at most ${text}` : text;
}

const counted = (count: number | null) => (count === null ? <NotKnown /> : exactNumber(count));
const NotKnown = () => <span className="muted">not known</span>;

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
