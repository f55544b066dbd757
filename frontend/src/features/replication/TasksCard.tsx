import { IconCpu } from "@tabler/icons-react";
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactNode, useMemo } from "react";
import { flowTasksQuery } from "@/api/flow/flow-parts";
import { useMay } from "@/api/personal";
import type { FlowAddress } from "@/api/queries";
import type { FlowTask, TaskOrdering } from "@/api/types";
import { useNowNote } from "@/components/answer/useNowNote";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { StatesNote } from "@/components/definition/StatesNote";
import { Unknown } from "@/components/Figure";
import { PagedTable, rowsOf, wholeOf } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { ColumnTools } from "@/components/table/columns/ColumnTools";
import { type OrderedColumn, orderedIds, orderingOf } from "@/components/table/ordering";
import { TASK_FIGURES } from "@/components/table/task-figures";
import { useTableView } from "@/components/table/useTableView";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { RestartTask } from "@/features/orders/RestartTask";
import { TASK_TONES } from "@/features/replication/states";
import { hasMoved, type MovedTask } from "@/lib/moves";
import { runningText, taskName } from "@/lib/tasks";
import { ago, duration, isoTime } from "@/lib/time";
import { wordOf } from "@/lib/words";
import { useNow } from "@/live/context";

type TaskColumn = OrderedColumn<FlowTask, TaskOrdering>;

/** `restart`: the button that restarts a task, if the person may do so. */
const columnsWith = (restart: (task: FlowTask) => ReactNode): readonly TaskColumn[] => [
  {
    id: "task",
    label: "Task",
    value: ({ task }) => task,
    cell: (task) => (
      <span className="task-name" title={task.task}>
        <span>{wordOf(taskName(task.task))}</span>
        {restart(task)}
      </span>
    ),
    ordering: "task",
  },
  {
    id: "state",
    label: "State",
    note: <StatesNote of="task" />,
    value: ({ state }) => state,
    cell: ({ state, cause, last_error }) => (
      <>
        <StateBadge tone={TASK_TONES[state]} word={wordOf(state)} />
        {cause !== null && cause.text !== last_error?.text && <span className="reason">{cause.text}</span>}
      </>
    ),
    ordering: "state",
  },
  {
    id: "driver",
    label: "Driver",
    hint: "The driver process that runs it",
    value: ({ driver }) => driver,
    cell: (task) => (
      <>
        {task.driver ?? <Unknown />}
        {hasMoved(task) && <MovedNote moved={task.moved} />}
      </>
    ),
    ordering: "driver",
  },
  {
    id: "since",
    label: "In this state",
    value: ({ since_ms }) => -since_ms,
    isNumber: true,
    cell: ({ since_ms }) => <Since time_ms={since_ms} />,
    ordering: "-since_ms",
  },
  ...TASK_FIGURES,
  {
    id: "error",
    label: "Last error",
    value: ({ last_error }) => last_error?.text ?? null,
    cell: ({ last_error }) =>
      last_error === null ? (
        "None"
      ) : (
        <>
          {last_error.since_ms != null && <Timestamp time_ms={last_error.since_ms} />}
          <span className="reason">{last_error.text}</span>
        </>
      ),
    cellClass: "muted task-error",
    ordering: "last_error",
  },
];

/** The tasks of a flow: where each runs, since when, why there, and its last error. */
export function TasksCard(flow: FlowAddress) {
  const mayAct = useMay("flows.act");
  const [dialog, order] = useOrderDialog();
  const columns = useMemo(
    () =>
      columnsWith((task) => mayAct && <RestartTask task={task} name={taskName(task.task)} onOrder={order} />),
    [mayAct, order],
  );
  const view = useTableView("tasks", columns, "task");
  const answer = useInfiniteQuery(flowTasksQuery(flow, orderingOf(columns, view.sort)));
  const whole = wholeOf(answer);
  const first = rowsOf(answer);
  const note = useNowNote(whole ? runningText(whole) : first && `the first ${first.length}`);
  const tools = (
    <>
      <ColumnTools view={view} />
      <ListCommands list="tasks" flow={flow} />
    </>
  );
  return (
    <Card title="Tasks" note={note} tools={tools}>
      {dialog}
      <PagedTable
        view={view}
        answer={answer}
        empty={
          <EmptyState icon={IconCpu} title="No task of this flow reports">
            Drivers run tasks while the flow is enabled. The Drivers page lists the drivers that report.
          </EmptyState>
        }
        ordered={orderedIds(columns)}
        rowId={(task) => `${task.task} ${task.driver ?? ""}`}
      />
    </Card>
  );
}

function MovedNote({ moved }: { moved: MovedTask["moved"] }) {
  const now_ms = useNow();
  return (
    <span className="reason" title={isoTime(moved.at_ms)}>
      Moved {ago(now_ms - moved.at_ms)} from {moved.from_driver}. {moved.text}
    </span>
  );
}

function Since({ time_ms }: { time_ms: number }) {
  const now_ms = useNow();
  return <span title={isoTime(time_ms)}>{duration(now_ms - time_ms)}</span>;
}
