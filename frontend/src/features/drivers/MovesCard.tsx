import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { tasksQuery } from "@/api/drivers";
import { useMay } from "@/api/personal";
import type { FlowTask } from "@/api/types";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Unknown } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import type { CellColumn } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { AFTER_ERROR, errorsOf, movesOf, type TaskWithError } from "@/features/drivers/matrix";
import { TaskTable } from "@/features/drivers/TaskTable";
import { type OpenOrder, useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { RestartTask } from "@/features/orders/RestartTask";
import { partName } from "@/lib/format";
import type { MovedTask } from "@/lib/moves";
import { taskName } from "@/lib/tasks";
import { wordOf } from "@/lib/words";

const DAY_MS = 86_400_000;

const ownName = ({ task }: FlowTask) => taskName(task);

export const TASK_COLUMN: CellColumn<FlowTask> = {
  id: "task",
  label: "Task",
  value: ownName,
  cell: (task) => wordOf(ownName(task)),
  cellClass: "muted nowrap",
};

const TASK_COLUMNS: readonly CellColumn<FlowTask>[] = [
  {
    id: "flow",
    label: "Replication flow",
    value: ({ source, target }) => `${source} ${target}`,
    cell: ({ source, target }) => <FlowName source={source} target={target} />,
  },
  TASK_COLUMN,
];

const DRIVER_COLUMN = {
  value: ({ driver }: FlowTask) => driver,
  cell: ({ driver }: FlowTask) => driver ?? "no driver",
};

const MOVE_COLUMNS: readonly CellColumn<MovedTask>[] = [
  ...TASK_COLUMNS,
  {
    id: "time",
    label: "Time",
    value: ({ moved }) => moved.at_ms,
    isNumber: true,
    cell: ({ moved }) => <Timestamp time_ms={moved.at_ms} />,
    cellClass: "nowrap",
  },
  {
    id: "from",
    label: "From",
    value: ({ moved }) => moved.from_driver,
    cell: ({ moved }) => moved.from_driver,
  },
  { id: "to", label: "To", ...DRIVER_COLUMN },
  {
    id: "reason",
    label: "Reason",
    value: ({ moved }) => moved.text,
    cell: ({ moved }) => moved.text,
  },
];

/** Without an order, the rows have no button. */
const errorColumns = (order: OpenOrder | null): readonly CellColumn<TaskWithError>[] => [
  ...TASK_COLUMNS,
  {
    id: "state",
    label: "State",
    value: ({ state }) => (state === "failed" ? "" : AFTER_ERROR[state].word),
    cell: ({ state }) => <StateBadge {...AFTER_ERROR[state]} />,
  },
  { id: "driver", label: "Driver", ...DRIVER_COLUMN },
  {
    id: "since",
    label: "Since",
    value: ({ last_error }) => last_error.since_ms,
    isNumber: true,
    cell: ({ last_error: { since_ms } }) =>
      since_ms === null ? <Unknown /> : <Timestamp time_ms={since_ms} />,
    cellClass: "nowrap",
  },
  {
    id: "error",
    label: "Error",
    value: ({ last_error }) => last_error.text,
    cell: (task) => <LastError task={task} />,
  },
  ...(order === null ? [] : [restartColumn(order)]),
];

const restartColumn = (order: OpenOrder): CellColumn<TaskWithError> => ({
  id: "restart",
  label: "Restart",
  value: ({ kind }) => kind,
  isFixed: true,
  cell: (task) => (
    <RestartTask task={task} name={`${ownName(task)} of ${task.source} to ${task.target}`} onOrder={order} />
  ),
});

interface TasksOf {
  /** only tasks that these processes run or ran; absent: all */
  processes?: ReadonlySet<string>;
}

/** The newest move of each task to another driver in the last day, with the reason. */
export function MovesCard({ processes }: TasksOf) {
  const { data } = useQuery(tasksQuery);
  const view = useTableView("moves", MOVE_COLUMNS, "-time");
  if (data === undefined) return null;
  const isOwn = (process: string | null) => process !== null && (processes?.has(process) ?? true);
  const moves = movesOf(data, Date.now() - DAY_MS).filter(
    ({ driver, moved }) => isOwn(driver) || isOwn(moved.from_driver),
  );
  return (
    <Card
      title="Moves"
      note="the newest of each task in the last 24 hours"
      tools={
        <>
          {moves.length > 0 && <ColumnMenu {...view} />}
          <ListCommands list="moves" />
        </>
      }
    >
      {moves.length === 0 ? (
        <EmptyState icon={IconArrowsExchange} title="No task has moved in the last 24 hours">
          A task moves when its driver leaves, is drained, or has more load than the others.
        </EmptyState>
      ) : (
        <TaskTable view={view} rows={moves} />
      )}
    </Card>
  );
}

/** The last error of each task that reported one, also of those that run again: failed ones first, then the newest. */
export function ErrorsCard({ processes }: TasksOf) {
  const { data } = useQuery(tasksQuery);
  const mayAct = useMay("flows.act");
  const [dialog, order] = useOrderDialog();
  const columns = useMemo(() => errorColumns(mayAct ? order : null), [mayAct, order]);
  const view = useTableView("errors", columns, "state");
  const isOwn = ({ driver }: FlowTask) =>
    processes === undefined || (driver !== null && processes.has(driver));
  const errors = data === undefined ? [] : errorsOf(data.filter(isOwn));
  if (errors.length === 0) return null;
  return (
    <Card
      title="Last errors"
      tools={
        <>
          <ColumnMenu {...view} />
          <ListCommands list="errors" />
        </>
      }
    >
      {dialog}
      <TaskTable view={view} rows={errors} />
    </Card>
  );
}

function LastError({ task: { last_error } }: { task: TaskWithError }) {
  const { text, topic, partition } = last_error;
  return (
    <>
      {text}
      {topic !== null && !text.includes(topic) && (
        <span className="reason">
          <NameText name={partName(topic, partition)} />
        </span>
      )}
    </>
  );
}
