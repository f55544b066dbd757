import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, useEffect, useRef } from "react";
import { type FlowAddress, flowQuery } from "@/api/queries";
import type { Flow } from "@/api/types";
import { Fact } from "@/components/definition/Fact";
import { StatesNote } from "@/components/definition/StatesNote";
import { TermNote } from "@/components/definition/TermNote";
import { Figure, Unknown } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { OrdersHint } from "@/components/flow/OrdersHint";
import { PinButton } from "@/components/flow/PinButton";
import { pageAt, useServiceOf } from "@/components/flow/service";
import { PageTitle } from "@/components/PageTitle";
import { StatusBadge } from "@/components/StatusBadge";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { FlowOrdersButton } from "@/features/orders/dialog/FlowOrdersButton";
import { FlowAbout } from "@/features/replication/about/FlowAbout";
import { FlowCrumbs } from "@/features/replication/FlowCrumbs";
import { Latencies } from "@/features/replication/Latencies";
import { count, isMeasured, type Measured, milliseconds, NO_LOSS, NOT_LOADED, partName } from "@/lib/format";
import { DEFAULT_PRESET } from "@/lib/range";
import { toneOf } from "@/lib/status";
import { noteRecentFlow } from "@/lib/stored/recent";
import { age, dayAndTime, duration, isoTime } from "@/lib/time";
import { quantityOf } from "@/lib/units";
import { useFlow, useFlowStatus, useNow } from "@/live/context";
import { areTasksKnown, type FlowRow, flowKey } from "@/live/flow-row";

interface FlowHeaderProps {
  source: string;
  target: string;
  detail: Flow | undefined;
}

export function FlowHeader({ source, target, detail }: FlowHeaderProps) {
  const key = flowKey(source, target);
  const status = useFlowStatus(key);
  const isKnown = status !== undefined || detail !== undefined;
  useEffect(() => {
    if (isKnown) noteRecentFlow(key);
  }, [isKnown, key]);
  return (
    <>
      <FlowCrumbs source={source} target={target} />
      <PageTitle
        title={`${source} → ${target}`}
        heading={<FlowName source={<ClusterLink alias={source} />} target={<ClusterLink alias={target} />} />}
      >
        <div className="title-state">
          {status !== undefined && (
            <>
              <StatusBadge status={status} />
              <StatesNote of="flow" state={status} />
              <Orders flowKey={key} />
            </>
          )}
          <PinButton source={source} target={target} />
        </div>
        <FlowOrdersButton source={source} target={target} />
      </PageTitle>
      <FlowAbout key={`about ${key}`} source={source} target={target} detail={detail} />
      <OtherService source={source} target={target} />
      <Reason flowKey={key} />
      {detail?.metrics_warning && <MetricsWarning text={detail.metrics_warning} />}
      <Facts source={source} target={target} detail={detail} />
    </>
  );
}

function ClusterLink({ alias }: { alias: string }) {
  return (
    <Link to="/clusters/$alias" params={{ alias }}>
      {alias}
    </Link>
  );
}

function Orders({ flowKey }: { flowKey: string }) {
  const flow = useFlow(flowKey);
  return flow && <OrdersHint flow={flow} />;
}

function Reason({ flowKey }: { flowKey: string }) {
  const flow = useFlow(flowKey);
  if (flow === undefined || flow.status === "healthy" || !flow.reason) return null;
  const { cause } = flow;
  return (
    <div className="reason-banner" data-tone={toneOf(flow.status)}>
      <p>{flow.reason}</p>
      {cause?.topic != null && (
        <p className="reason-place">
          First seen in <code>{partName(cause.topic, cause.partition)}</code>
          {cause.since_ms !== null && `, ${dayAndTime(cause.since_ms)}`}
        </p>
      )}
      {cause !== null && CLUSTER_CAUSES.has(cause.code) && <ClusterLinks flow={flow} cause={cause.text} />}
    </div>
  );
}

/** Causes that the page of a cluster explains: it tests the connection step by step. */
const CLUSTER_CAUSES: ReadonlySet<string> = new Set(["cluster_unreachable", "authentication_failed"]);

/** The way to the cluster that the cause names, or to both. */
function ClusterLinks({ flow: { source, target }, cause }: { flow: FlowRow; cause: string }) {
  const both = [source, target];
  const words = cause.split(/[\s,]+/);
  const named = both.filter((alias) => words.includes(alias));
  return (
    <p className="reason-place">
      {(named.length === 0 ? both : named).map((alias, place) => (
        <Fragment key={alias}>
          {place > 0 && "\u00a0· "}
          <Link to="/clusters/$alias" params={{ alias }}>
            Connection of {alias}
          </Link>
        </Fragment>
      ))}
    </p>
  );
}

/** The service that reports the flow, if it is another one, with a link to its page of the flow. */
function OtherService(flow: FlowAddress) {
  const service = useServiceOf(flow);
  if (service === null) return null;
  return (
    <div className="reason-banner" data-tone="idle">
      <p>
        Reported by{" "}
        <a href={pageAt(service, flow)} rel="noreferrer noopener" target="_blank">
          {service}
        </a>
        . Orders, tasks, groups, events and audits are available there.
      </p>
    </div>
  );
}

function MetricsWarning({ text }: { text: string }) {
  return (
    <div className="reason-banner" data-tone="warn">
      <p>Metrics of this target: {text}</p>
    </div>
  );
}

interface FactsProps extends FlowAddress {
  detail: Flow | undefined;
}

/** The numbers of the flow: of this second, or of a range in the past beside what is known only of now. */
function Facts({ source, target, detail }: FactsProps) {
  const flow = useFlow(flowKey(source, target));
  const range = useTimeRange();
  const isPast = range.to_ms !== null;
  // the numbers of the flow without a range are those of the usual one
  const isUsual = range.preset === DEFAULT_PRESET;
  const { data: ranged } = useQuery({ ...flowQuery({ source, target }, range), enabled: !isUsual });
  const of = isUsual ? detail?.metrics : ranged?.metrics;
  const latency = isPast
    ? { p50_ms: of?.replication_latency_ms.p50, p95_ms: of?.replication_latency_ms.p95 }
    : { p50_ms: flow?.latency_p50_ms, p95_ms: flow?.latency_p95_ms };
  const lag = isPast ? of?.lag_offsets.avg : flow?.lag_offsets;
  const now = isPast ? "now" : undefined;
  const average = isPast ? "average" : undefined;
  const since_ms = flow?.since_ms ?? detail?.since_ms ?? null;
  return (
    <dl className="facts">
      <Fact name="In this state" when={now}>
        {since_ms === null ? <Unknown /> : <Since time_ms={since_ms} />}
      </Fact>
      <Fact name="Source tasks" when={now}>
        {flow === undefined || !areTasksKnown(flow) ? (
          <Unknown />
        ) : (
          `${flow.tasks_running} of ${flow.tasks_total} running`
        )}
      </Fact>
      <Fact name="Topics" when={now}>
        <Figure value={flow?.topics} as={count} />
      </Fact>
      <Fact name="Partitions" when={now}>
        <Figure value={flow?.partitions} as={count} />
      </Fact>
      <Fact name="Latency p50, p95" metric="replication_latency_ms">
        <Latencies {...latency} />
      </Fact>
      <Fact name="Heartbeat age" when={average} metric="heartbeat_age_ms">
        <Figure value={isPast ? of?.heartbeat_age_ms.avg : flow?.heartbeat_age_ms} as={age} />
        {!isPast && flow?.status === "paused" && <span className="fact-note">not copied in a pause</span>}
      </Fact>
      <Fact name="Lag" when={average} metric="lag_offsets">
        <Figure value={lag} as={quantityOf("lag_offsets")} />
        {!isPast && (
          <CatchUp lag={lag} time_ms={detail?.catch_up_ms} isUnread={flow?.status === "interrupted"} />
        )}
      </Fact>
      <Fact name="Lag in time" when="average" metric="lag_ms">
        <Figure value={of?.lag_ms.avg} as={quantityOf("lag_ms")} />
      </Fact>
      <Fact name="Time to loss" when={now} term="time_to_loss">
        <Figure
          value={detail?.time_to_loss_ms}
          as={milliseconds}
          tone="bad"
          why={detail === undefined ? NOT_LOADED : NO_LOSS}
        />
      </Fact>
      <Fact name="Driver" when={now}>
        {detail?.served_by ? (
          detail.served_by
        ) : (
          <Unknown why={detail === undefined ? "not read yet" : "no driver reports this flow"} />
        )}
      </Fact>
    </dl>
  );
}

interface CatchUpProps {
  lag: Measured;
  time_ms: Measured;
  /** true: the source is not read */
  isUnread: boolean;
}

/** When the flow has copied everything, at the current rates. Its line stays once it was needed: the page keeps its place. */
function CatchUp({ lag, time_ms, isUnread }: CatchUpProps) {
  const isNeeded = isMeasured(lag) ? lag === 0 || Boolean(time_ms) : isUnread;
  const wasNeeded = useRef(false);
  wasNeeded.current ||= isNeeded;
  if (!wasNeeded.current) return null;
  return (
    <span className="fact-note">
      {isNeeded && !isMeasured(lag) && "the source is not read"}
      {isNeeded && isMeasured(lag) && (lag === 0 ? "up to date" : <CatchUpTime time_ms={time_ms} />)}
    </span>
  );
}

function CatchUpTime({ time_ms }: { time_ms: Measured }) {
  if (!time_ms) return null;
  return (
    <>
      up to date in <Figure value={time_ms} as={milliseconds} />
      <TermNote term="catch_up" name="up to date in" />
    </>
  );
}

function Since({ time_ms }: { time_ms: number }) {
  const now_ms = useNow();
  return (
    <time dateTime={isoTime(time_ms)} title={isoTime(time_ms)}>
      {duration(now_ms - time_ms)}
    </time>
  );
}
