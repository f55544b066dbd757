/** The topics and partitions of a flow that are paused, stopped or throttled. */
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { holdsQuery, stopsQuery, topicThrottlesQuery } from "@/api/control";
import { giveOrder, releaseHold } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { Hold, OrderBody, Stop, TopicThrottle } from "@/api/types";
import { Figure } from "@/components/Figure";
import { sameOrder, sameRelease } from "@/features/orders/commands";
import { partName } from "@/features/orders/many/parts";
import { EndOrder } from "@/features/orders/progress/EndOrder";
import { lastingColumns, TopicOrders } from "@/features/replication/control/TopicOrders";
import { TopicLink } from "@/features/replication/topics/TopicLink";
import { bytesPerSecond } from "@/lib/format";

function pauseColumns(flow: FlowAddress) {
  return lastingColumns<Hold>({
    by: "Paused by",
    giver: ({ held_by }) => held_by,
    ends: "someone resumes it",
    end: (hold) => (
      <EndOrder
        flow={flow}
        label={`Resume ${partName(hold)}`}
        end={() => releaseHold(flow, hold.id)}
        same={sameRelease(flow, hold)}
      />
    ),
  });
}

/** The paused topics and partitions of a flow, with who paused them and why. */
export function Pauses({ source, target }: FlowAddress) {
  const answer = useInfiniteQuery(holdsQuery({ source, target }));
  const columns = useMemo(() => pauseColumns({ source, target }), [source, target]);
  return (
    <TopicOrders
      what="paused topics"
      answer={answer}
      empty={<p className="control-none">No topic is paused.</p>}
      columns={columns}
    />
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
  const answer = useInfiniteQuery(holdsQuery({ source, target }));
  const columns = useMemo(() => {
    const [name, ...others] = pauseColumns({ source, target });
    const cell = ({ topic }: Hold) => <TopicLink source={source} target={target} topic={topic} />;
    return name === undefined ? [] : [{ ...name, cell }, ...others];
  }, [source, target]);
  return (
    <TopicOrders
      what="paused topics"
      answer={answer}
      empty={empty}
      columns={columns}
      isShown={({ topic }) => topic.includes(q)}
    />
  );
}

function stopColumns(flow: FlowAddress) {
  const start = ({ topic, partition }: Stop): OrderBody => ({
    action: "start",
    reason: "started on the page",
    scope: { topic, partition },
  });
  return lastingColumns<Stop>({
    by: "Stopped by",
    giver: ({ stopped_by }) => stopped_by,
    ends: "someone starts it",
    end: (stop) => (
      <EndOrder
        flow={flow}
        label={`Start ${partName(stop)}`}
        end={() => giveOrder(flow, start(stop), false)}
        same={sameOrder(flow, start(stop))}
      />
    ),
  });
}

/** The stopped topics and partitions of a flow. */
export function Stops({ source, target }: FlowAddress) {
  const answer = useInfiniteQuery(stopsQuery({ source, target }));
  const columns = useMemo(() => stopColumns({ source, target }), [source, target]);
  return (
    <TopicOrders
      what="stops"
      answer={answer}
      empty={<p className="control-none">No topic is stopped.</p>}
      columns={columns}
    />
  );
}

function throttleColumns(flow: FlowAddress) {
  const remove = ({ topic, partition }: TopicThrottle): OrderBody => ({
    action: "throttle",
    reason: "removed on the page",
    bytes_per_second: null,
    scope: { topic, partition },
  });
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
    end: (throttle) => (
      <EndOrder
        flow={flow}
        label={`Remove the throttle of ${partName(throttle)}`}
        end={() => giveOrder(flow, remove(throttle), false)}
        same={sameOrder(flow, remove(throttle))}
      />
    ),
  });
}

/** The throttled topics and partitions of a flow. */
export function Throttles({ source, target }: FlowAddress) {
  const answer = useInfiniteQuery(topicThrottlesQuery({ source, target }));
  const columns = useMemo(() => throttleColumns({ source, target }), [source, target]);
  return (
    <TopicOrders
      what="throttled topics"
      answer={answer}
      empty={<p className="control-none">No topic is throttled.</p>}
      columns={columns}
    />
  );
}
