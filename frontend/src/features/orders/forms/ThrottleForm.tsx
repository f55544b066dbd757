import { NativeSelect } from "@mantine/core";
import { throttleNow } from "@/api/control";
import { giveOrder } from "@/api/orders";
import type { FlowAddress } from "@/api/queries";
import type { OrderBody } from "@/api/types";
import { sameOrder } from "@/features/orders/commands";
import {
  EndField,
  isPartition,
  PartitionField,
  RateField,
  ReasonField,
  TopicField,
} from "@/features/orders/fields";
import { PartThrottle, ThrottleInForce } from "@/features/orders/forms/ThrottleInForce";
import { placeFields, useTypedOrder } from "@/features/orders/forms/useTypedOrder";
import { rehearse } from "@/features/orders/forms/VerbForm";
import { type OrderFormProps, OrderPanel } from "@/features/orders/OrderPanel";
import { endOf, type GivenOrder, rateOf, type Scope } from "@/features/orders/order";
import { wholeNumber } from "@/lib/words";

const OF_FLOW =
  "The tasks share the limit equally. It overrides srm.throttle.rate, but not a window of srm.throttle.schedule.";
const OF_PART =
  "It is read at this rate or less; the rest of the flow continues as before. Tasks share the limit by their partitions of the topic. The throttle of the flow still applies to all of its topics.";

/** The form that limits the throughput of a flow, a topic or a partition, or removes the limit. */
export function ThrottleForm(props: OrderFormProps & { scope: Scope; kind: "throttle" | "unthrottle" }) {
  const { flow, scope, kind } = props;
  const [form, change, endings] = useTypedOrder(kind, props, {
    ...placeFields(scope),
    isLimited: kind === "throttle",
    limit: "",
    reason: "",
    end: "",
  });
  const { topic, partition, isLimited, limit, reason, end } = form;
  const rate = rateOf(limit);
  const isPart = topic.trim() !== "";
  const isPlace = isPartition(partition) && (isPart || partition.trim() === "");
  const order: OrderBody = {
    action: "throttle",
    reason: reason.trim(),
    bytes_per_second: isLimited ? rate : null,
    until_ms: isLimited ? endOf(end, Date.now()) : null,
    ...(isPart ? { scope: { topic: topic.trim(), partition: wholeNumber(partition) } } : {}),
  };
  return (
    <OrderPanel
      {...props}
      {...endings}
      title={`Throttle ${isPart ? (order.scope?.partition == null ? "a topic" : "a partition") : "the flow"}`}
      effect={
        <>
          {isPart ? OF_PART : OF_FLOW} Now:{" "}
          {order.scope === undefined ? (
            <ThrottleInForce flow={flow} />
          ) : (
            <PartThrottle flow={flow} scope={{ topic: topic.trim(), partition: wholeNumber(partition) }} />
          )}
        </>
      }
      submit={isLimited ? "Set the throttle" : "Remove the throttle"}
      isReady={reason.trim() !== "" && isPlace && (!isLimited || rate !== null)}
      give={() => give(flow, order)}
      rehearse={() => rehearse(flow, order)}
      same={sameOrder(flow, order)}
    >
      <TopicField flow={flow} value={topic} onChange={(topic) => change({ topic })} isWholeFlow />
      <PartitionField value={partition} onChange={(partition) => change({ partition })} />
      <NativeSelect
        size="xs"
        label="Throttle"
        description={isPart ? "Of the topic or partition" : "Of the whole flow"}
        data={[
          { value: "limit", label: "Limit the throughput" },
          { value: "none", label: "Remove the throttle" },
        ]}
        value={isLimited ? "limit" : "none"}
        onChange={(event) => change({ isLimited: event.currentTarget.value === "limit" })}
      />
      {isLimited && <RateField value={limit} onChange={(limit) => change({ limit })} />}
      <ReasonField value={reason} onChange={(reason) => change({ reason })} />
      {isLimited && <EndField value={end} onChange={(end) => change({ end })} />}
    </OrderPanel>
  );
}

/** Its undo sets the throttle of before, or removes this one. */
async function give(flow: FlowAddress, order: OrderBody): Promise<GivenOrder> {
  const { scope } = order;
  const part = scope && { topic: scope.topic ?? "", partition: scope.partition ?? null };
  const before = await throttleNow(flow, part);
  const { id, text, changed } = await giveOrder(flow, order, false);
  if (!changed) return { text, actionId: id };
  const undo = () => {
    const isOver = before === null || (before.until_ms !== null && before.until_ms <= Date.now());
    const rate = isOver ? { bytes_per_second: null, until_ms: null } : before;
    const { bytes_per_second, until_ms } = rate;
    return give(flow, { ...order, bytes_per_second, until_ms, reason: `undone: ${order.reason}` });
  };
  return { text, actionId: id, undo };
}
