import { IconLayoutGrid } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { tasksQuery } from "@/api/drivers";
import type { FlowTask } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import type { CellColumn } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { TASK_FIGURES } from "@/components/table/task-figures";
import { useTableView } from "@/components/table/useTableView";
import { FLOW_COLUMN } from "@/features/drivers/MatrixCard";
import { TASK_COLUMN } from "@/features/drivers/MovesCard";
import { AFTER_ERROR } from "@/features/drivers/matrix";
import { TaskTable } from "@/features/drivers/TaskTable";
import { runningText } from "@/lib/tasks";

const WORDS: Readonly<Record<FlowTask["state"], string>> = {
  failed: "Failed",
  unassigned: "Without a driver",
  starting: "Starting",
  stopping: "Stopping",
  running: "Running",
};

const COLUMNS: readonly CellColumn<FlowTask>[] = [
  FLOW_COLUMN,
  TASK_COLUMN,
  {
    id: "state",
    label: "State",
    value: ({ state }) => WORDS[state],
    cell: ({ state, cause }) => (
      <>
        <StateBadge tone={AFTER_ERROR[state].tone} word={WORDS[state]} />
        {cause !== null && <span className="reason">{cause.text}</span>}
      </>
    ),
  },
  ...TASK_FIGURES,
];

/** The tasks that the processes of a driver run, by flow. */
export function OwnTasks({ driver, processes }: { driver: string; processes: ReadonlySet<string> }) {
  const answer = useQuery(tasksQuery);
  const view = useTableView("tasks", COLUMNS, "flow", "own_tasks");
  const own = answer.data?.filter((task) => task.driver !== null && processes.has(task.driver)) ?? [];
  return (
    <Card
      title="Tasks"
      note={answer.data && runningText(own)}
      tools={
        <>
          {own.length > 0 && <ColumnMenu {...view} />}
          <ListCommands list="tasks" />
        </>
      }
    >
      <Answered what="tasks" answer={answer}>
        {() =>
          own.length > 0 ? (
            <TaskTable label={`Table of tasks of ${driver}`} view={view} rows={own} />
          ) : (
            <EmptyState icon={IconLayoutGrid} title={`${driver} runs no task`}>
              Drivers take tasks as soon as a flow is enabled, unless they are drained.
            </EmptyState>
          )
        }
      </Answered>
    </Card>
  );
}
