/** The columns of the groups' table; their ids are the orders of the service. */
import type { Group, GroupsOrdering } from "@/api/types";
import type { Column } from "@/components/DataTable";
import { severity } from "@/features/groups/words";

export const GROUP_COLUMNS: readonly Column<Group>[] = [
  { id: "group", label: "Group", value: (group) => group.group },
  { id: "type", label: "Type", value: (group) => group.type },
  { id: "state", label: "State", value: (group) => group.state, hint: "On the source cluster" },
  {
    id: "readiness",
    label: "Readiness",
    value: (group) => severity(group.readiness),
    hint: "Whether the group can continue on the target now",
  },
  {
    id: "lag",
    label: "Lag",
    value: (group) => group.lag,
    isNumber: true,
    hint: "Records of the source that the group has not read",
  },
  {
    id: "rereads",
    label: "Would re-read",
    value: (group) => group.rereads,
    isNumber: true,
    hint: "Records that the group would read again on the target, at most",
  },
  {
    id: "checkpoint_ms",
    label: "Checkpoint",
    value: (group) => group.checkpoint_ms,
    isNumber: true,
    hint: "Time of the newest checkpoint on the target",
  },
  { id: "target_state", label: "On the target", value: (group) => group.target_state },
];

export const DEFAULT_ORDER: GroupsOrdering = "-readiness";
/** The service orders groups by each column. */
export const GROUP_ORDERS = GROUP_COLUMNS.map(({ id }) => id);
const ORDERS = GROUP_COLUMNS.flatMap(({ id }) => [id, `-${id}`]);

export function orderOf(text: string | undefined): GroupsOrdering {
  return ORDERS.includes(text ?? "") ? (text as GroupsOrdering) : DEFAULT_ORDER;
}
