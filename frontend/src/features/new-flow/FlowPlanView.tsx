import type { ReactNode } from "react";
import type { ChangePlan, FlowPlan } from "@/api/types";
import { NameList } from "@/components/plan/NameList";
import { PlanFindings } from "@/components/plan/PlanFindings";
import { copyTime_ms } from "@/features/new-flow/flow-form";
import { bytes, bytesPerSecond, exactNumber, joined, plural, records } from "@/lib/format";
import { duration } from "@/lib/time";

interface FlowPlanViewProps {
  /** undefined: the plan has nothing about the flow */
  plan: FlowPlan | undefined;
  findings: ChangePlan["findings"];
  throttle: number | null;
}

/** Without a throttle the time is told at this rate, which the sentence names. */
const EXAMPLE_RATE = 100_000_000;

/** What a new flow would do: data to copy, topics to create, what prevents it, what is not known. */
export function FlowPlanView({ plan, findings, throttle }: FlowPlanViewProps) {
  if (plan === undefined) return <p className="card-body muted">The flow changes nothing.</p>;
  const { changes } = plan;
  const count = (name: string, list: readonly unknown[] | null) =>
    changes.counts[name] ?? list?.length ?? null;
  return (
    <div className="plan">
      <dl className="plan-facts">
        <Fact name="Topics to copy">{counted(count("topics_added", changes.topics_added))}</Fact>
        <Fact name="Topics to create">{counted(count("topics_created", changes.topics_created))}</Fact>
        <Fact name="Records to copy first">
          {changes.estimate === null ? (
            <NotKnown />
          ) : (
            amount(changes.estimate.is_upper_bound, records(changes.estimate.records).value)
          )}
        </Fact>
        <Fact name="Bytes to copy first">
          {changes.estimate?.bytes == null ? (
            <NotKnown />
          ) : (
            amount(changes.estimate.is_upper_bound, joined(bytes(changes.estimate.bytes)))
          )}
        </Fact>
        <Fact name="Expected time">
          <ExpectedTime size={changes.estimate?.bytes} throttle={throttle} />
        </Fact>
        <Fact name="Tasks">{changes.tasks === null ? <NotKnown /> : changes.tasks.after}</Fact>
      </dl>
      <PlanFindings plan={plan} findings={findings} />
      <NameList
        title="Topics that are created"
        names={changes.topics_created?.map(created) ?? []}
        total={count("topics_created", changes.topics_created)}
      />
      <NameList
        title="Topics that are copied"
        names={changes.topics_added ?? []}
        total={count("topics_added", changes.topics_added)}
      />
    </div>
  );
}

type CreatedTopic = NonNullable<FlowPlan["changes"]["topics_created"]>[number];

function created({ name, partitions, upstream }: CreatedTopic): string {
  return `${name}, ${plural(partitions, "partition")}${upstream === null ? ", internal" : ""}`;
}

const amount = (isBound: boolean, text: string) => `${isBound ? "at most " : ""}${text}`;

const counted = (count: number | null) => (count === null ? <NotKnown /> : exactNumber(count));

function ExpectedTime({ size, throttle }: { size: number | null | undefined; throttle: number | null }) {
  const time_ms = copyTime_ms(size, throttle ?? EXAMPLE_RATE);
  if (time_ms === null) return <NotKnown />;
  const rate = joined(bytesPerSecond(throttle ?? EXAMPLE_RATE));
  return `${time_ms < 1_000 ? "under 1 s" : duration(time_ms)} at ${throttle === null ? "an assumed " : ""}${rate}`;
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const NotKnown = () => <span className="muted">not known</span>;
