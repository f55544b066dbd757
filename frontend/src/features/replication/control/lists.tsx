/** The topics and partitions of a flow that are paused, stopped or throttled. */

import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { holdsQuery, stopsQuery, topicThrottlesQuery } from "@/api/control";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { Hold, Stop, TopicThrottle } from "@/api/types";
import { Figure } from "@/components/Figure";
import { useTableView } from "@/components/table/useTableView";
import { type OpenOrder, useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { nameOf } from "@/features/orders/many/parts";
import type { OrderKind, Scope } from "@/features/orders/order";
import { EndOrder } from "@/features/orders/progress/EndOrder";
import { lastingColumns, TopicOrders } from "@/features/replication/control/TopicOrders";
import { TopicLink } from "@/features/replication/topics/TopicLink";
import { bytesPerSecond } from "@/lib/format";

interface ListProps {
  flow: FlowAddress;
  /** true: each row has the button that ends its order */
  mayAct: boolean;
}

/** The order that ends the one of a row. */
const ending = (flow: FlowAddress, kind: OrderKind, { topic, partition }: Scope) => ({
  flow,
  kind,
  scope: { topic, partition },
});

function pauseColumns(flow: FlowAddress, order: OpenOrder, mayAct: boolean) {
  return lastingColumns<Hold>({
    by: "Paused by",
    giver: ({ held_by }) => held_by,
    ends: "someone resumes it",
    end: (hold) =>
      mayAct && (
        <EndOrder label={`Resume ${nameOf(hold)}`} onEnd={() => order(ending(flow, "resume", hold))} />
      ),
  });
}

/** The paused topics and partitions of a flow, with who paused them and why. */
export function Pauses({ flow: { source, target }, mayAct }: ListProps) {
  const [dialog, order] = useOrderDialog();
  const answer = useInfiniteQuery(holdsQuery({ source, target }));
  const columns = useMemo(
    () => pauseColumns({ source, target }, order, mayAct),
    [source, target, order, mayAct],
  );
  const view = useTableView("paused topics", columns, "topic", "pauses");
  return (
    <>
      {dialog}
      <TopicOrders
        title="Paused topics"
        list="pauses"
        flow={{ source, target }}
        answer={answer}
        empty={<p className="control-none">No topic is paused.</p>}
        view={view}
      />
    </>
  );
}

interface PausedTopicsProps {
  flow: FlowAddress;
  /** part of the names of the topics that are shown */
  q: string;
  empty: ReactNode;
}

/** The same as the list of a page of topics: each name opens its topic. */
export function PausedTopics({ flow: { source, target }, q, empty }: PausedTopicsProps) {
  const [dialog, order] = useOrderDialog();
  const mayAct = useMay("flows.act");
  const answer = useInfiniteQuery(holdsQuery({ source, target }, q));
  const columns = useMemo(() => {
    const [name, ...others] = pauseColumns({ source, target }, order, mayAct);
    const cell = ({ topic }: Hold) => <TopicLink source={source} target={target} topic={topic} />;
    return name === undefined ? [] : [{ ...name, cell }, ...others];
  }, [source, target, order, mayAct]);
  const view = useTableView("paused topics", columns, "topic", "pauses");
  return (
    <>
      {dialog}
      <TopicOrders
        title="Paused topics"
        list="pauses"
        flow={{ source, target }}
        q={q}
        answer={answer}
        empty={empty}
        view={view}
      />
    </>
  );
}

function stopColumns(flow: FlowAddress, order: OpenOrder, mayAct: boolean) {
  return lastingColumns<Stop>({
    by: "Stopped by",
    giver: ({ stopped_by }) => stopped_by,
    ends: "someone starts it",
    end: (stop) =>
      mayAct && <EndOrder label={`Start ${nameOf(stop)}`} onEnd={() => order(ending(flow, "start", stop))} />,
  });
}

/** The stopped topics and partitions of a flow. */
export function Stops({ flow: { source, target }, mayAct }: ListProps) {
  const [dialog, order] = useOrderDialog();
  const answer = useInfiniteQuery(stopsQuery({ source, target }));
  const columns = useMemo(
    () => stopColumns({ source, target }, order, mayAct),
    [source, target, order, mayAct],
  );
  const view = useTableView("stops", columns, "topic", "stops");
  return (
    <>
      {dialog}
      <TopicOrders
        title="Stopped topics"
        list="stops"
        flow={{ source, target }}
        answer={answer}
        empty={<p className="control-none">No topic is stopped.</p>}
        view={view}
      />
    </>
  );
}

function throttleColumns(flow: FlowAddress, order: OpenOrder, mayAct: boolean) {
  return lastingColumns<TopicThrottle>({
    before: [
      {
        id: "rate",
        label: "Throttle",
        value: ({ bytes_per_second }) => bytes_per_second,
        isNumber: true,
        cell: ({ bytes_per_second }) => <Figure value={bytes_per_second} as={bytesPerSecond} />,
      },
    ],
    by: "Throttled by",
    giver: ({ throttled_by }) => throttled_by,
    ends: "someone removes it",
    end: (throttle) =>
      mayAct && (
        <EndOrder
          label={`Remove the throttle of ${nameOf(throttle)}`}
          onEnd={() => order(ending(flow, "unthrottle", throttle))}
        />
      ),
  });
}

/** The throttled topics and partitions of a flow. */
export function Throttles({ flow: { source, target }, mayAct }: ListProps) {
  const [dialog, order] = useOrderDialog();
  const answer = useInfiniteQuery(topicThrottlesQuery({ source, target }));
  const columns = useMemo(
    () => throttleColumns({ source, target }, order, mayAct),
    [source, target, order, mayAct],
  );
  const view = useTableView("throttled topics", columns, "topic", "throttles");
  return (
    <>
      {dialog}
      <TopicOrders
        title="Throttled topics"
        list="throttles"
        flow={{ source, target }}
        answer={answer}
        empty={<p className="control-none">No topic is throttled.</p>}
        view={view}
      />
    </>
  );
}
