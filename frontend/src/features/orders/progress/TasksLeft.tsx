import { useQuery } from "@tanstack/react-query";
import { tasksLeftQuery } from "@/api/drivers";
import { reasonOf } from "@/api/problem";
import type { FlowAddress } from "@/api/queries";
import { StateBadge } from "@/components/StateBadge";
import { ORDER_STATES } from "@/features/orders/list/order-words";
import { plural } from "@/lib/format";

/** How far the drivers have ended the tasks of a deleted flow. */
export function TasksLeft(flow: FlowAddress) {
  const { data: left, error } = useQuery(tasksLeftQuery(flow));
  if (left === undefined) return error === null ? null : <span className="muted">{reasonOf(error)}</span>;
  return (
    <>
      <StateBadge {...ORDER_STATES[left === 0 ? "applied" : "published"]} isAnnounced />
      {left > 0 && <span className="muted">{plural(left, "task")} left</span>}
    </>
  );
}
