import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { configuredThrottleQuery, throttleQuery, topicThrottlesQuery } from "@/api/control";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { useOutage } from "@/components/answer/outage";
import { Figure, Unknown } from "@/components/Figure";
import { rowsOf, wholeOf } from "@/components/PagedTable";
import type { Scope } from "@/features/orders/order";
import { bytesPerSecond } from "@/lib/format";

const RATE = "srm.throttle.rate";
const SCHEDULE = "srm.throttle.schedule";

/** What a flow may be read at now: the limit of an order, that of the configuration, or none. */
export function ThrottleInForce({ flow }: { flow: FlowAddress }) {
  const { data, error } = useQuery(throttleQuery(flow));
  if (data === undefined) return <Unread error={error} />;
  if (data === null) return <Configured flow={flow} />;
  return (
    <>
      <Figure value={data} as={bytesPerSecond} />
      <span className="fact-note">
        wins over <code>{RATE}</code>, but not over a window of <code>{SCHEDULE}</code>
      </span>
    </>
  );
}

/** Without an order. */
function Configured({ flow }: { flow: FlowAddress }) {
  const { data, error } = useQuery(configuredThrottleQuery(flow));
  if (data === undefined)
    return (
      <>
        <Unread error={error} />
        <span className="fact-note">no order; the configured rate is not known yet</span>
      </>
    );
  if (data.length === 0)
    return (
      <>
        No limit
        <span className="fact-note">
          no order, and neither <code>{RATE}</code> nor <code>{SCHEDULE}</code> is set
        </span>
      </>
    );
  return (
    <>
      As configured
      {data.map(({ name, value }) => (
        <span key={name} className="fact-note">
          <code>
            {name} = {value}
          </code>
        </span>
      ))}
    </>
  );
}

/** What a topic or a partition may be read at now, beside the throttle of its flow. */
export function PartThrottle({ flow, scope }: { flow: FlowAddress; scope: Scope }) {
  const answer = useInfiniteQuery(topicThrottlesQuery(flow));
  const found = rowsOf(answer)?.find(
    ({ topic, partition }) => topic === scope.topic && partition === scope.partition,
  );
  if (found !== undefined) return <Figure value={found.bytes_per_second} as={bytesPerSecond} />;
  if (answer.hasNextPage && answer.error === null)
    return <Unknown why="not among the throttles read so far" />;
  return wholeOf(answer) === undefined ? <Unread error={answer.error} /> : "No throttle";
}

function Unread({ error }: { error: unknown }) {
  const isTold = useOutage()?.reason === reasonOf(error);
  return <Unknown why={whyUnread(error, isTold)} />;
}

/** Why a value is not here; a reason that the page tells already is not told again. */
function whyUnread(error: unknown, isTold: boolean): string {
  if (error === null) return "not read yet";
  return isTold ? "could not be loaded" : reasonOf(error);
}
