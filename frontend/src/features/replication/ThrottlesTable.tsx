import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { topicThrottlesQuery } from "@/api/control";
import { giveOrder } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { TopicThrottle } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { Figure } from "@/components/Figure";
import { PagedTable } from "@/components/PagedTable";
import { Timestamp } from "@/components/Timestamp";
import { EndOrder } from "@/features/orders/EndOrder";
import { bytesPerSecond } from "@/lib/format";

const COLUMNS: readonly Column<TopicThrottle>[] = [
  { id: "topic", label: "Topic", value: (throttle) => throttle.topic },
  { id: "partition", label: "Partition", value: (throttle) => throttle.partition, isNumber: true },
  { id: "rate", label: "Throttle", value: (throttle) => throttle.bytes_per_second, isNumber: true },
  { id: "reason", label: "Reason", value: (throttle) => throttle.reason },
  { id: "by", label: "Throttled by", value: (throttle) => throttle.throttled_by },
  { id: "since", label: "Since", value: (throttle) => throttle.since_ms, isNumber: true },
  { id: "until", label: "Until", value: (throttle) => throttle.until_ms, isNumber: true },
];

/** The throttled topics and partitions of a flow. */
export function ThrottlesTable(flow: FlowAddress) {
  const [sort, setSort] = useState("topic");
  const answer = useInfiniteQuery(topicThrottlesQuery(flow));
  return (
    <PagedTable
      isStacked
      what="throttled topics"
      answer={answer}
      expected={1}
      empty={<p className="control-none">No topic is throttled.</p>}
      columns={COLUMNS}
      rowId={(throttle) => String(throttle.id)}
      sort={sort}
      onSort={setSort}
    >
      {(throttle) => <ThrottleRow key={throttle.id} flow={flow} throttle={throttle} />}
    </PagedTable>
  );
}

function ThrottleRow({ flow, throttle }: { flow: FlowAddress; throttle: TopicThrottle }) {
  const { topic, partition } = throttle;
  const part = partition === null ? topic : `${topic}, partition ${partition}`;
  const scope = { topic, partition };
  const remove = () =>
    giveOrder(
      flow,
      { action: "throttle", reason: "removed on the page", bytes_per_second: null, scope },
      false,
    );
  return (
    <tr>
      <th scope="row" className="topic-cell">
        {topic}
      </th>
      <td className="numeric">{partition ?? "all"}</td>
      <td className="numeric">
        <Figure value={throttle.bytes_per_second} as={bytesPerSecond} />
      </td>
      <td className="muted">{throttle.reason || "none given"}</td>
      <td>{throttle.throttled_by}</td>
      <td className="numeric">
        <Timestamp time_ms={throttle.since_ms} />
      </td>
      <td className="numeric">
        {throttle.until_ms === null ? "removed" : <Timestamp time_ms={throttle.until_ms} />}
        <EndOrder flow={flow} label={`Remove the throttle of ${part}`} end={remove} />
      </td>
    </tr>
  );
}
