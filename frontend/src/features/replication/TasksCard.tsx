import { IconCpu } from "@tabler/icons-react";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { flowTasksQuery } from "@/api/flow/flow-parts";
import { type FlowAddress, meQuery } from "@/api/queries";
import type { FlowTask } from "@/api/types";
import { useNowNote } from "@/components/answer/useNowNote";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import type { Column } from "@/components/DataTable";
import { StatesNote } from "@/components/definition/StatesNote";
import { Figure, Unknown } from "@/components/Figure";
import { PagedTable, rowsOf } from "@/components/PagedTable";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { useAddressState } from "@/components/table/useAddressState";
import { useOrderDialog } from "@/features/orders/dialog/useOrderDialog";
import { RestartTask } from "@/features/orders/RestartTask";
import { TASK_TONES, wordOf } from "@/features/replication/states";
import { bytesPerSecond, formatCount, records } from "@/lib/format";
import { hasMoved } from "@/lib/moves";
import { runningText, taskName } from "@/lib/tasks";
import { ago, duration, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

const COLUMNS: readonly Column<FlowTask>[] = [
  { id: "task", label: "Task", value: (task) => task.task },
  { id: "state", label: "State", value: (task) => task.state },
  { id: "driver", label: "Driver", value: (task) => task.driver },
  { id: "since", label: "In this state", value: (task) => -task.since_ms, isNumber: true },
  { id: "partitions", label: "Partitions", value: (task) => task.partitions, isNumber: true },
  { id: "throughput", label: "Throughput", value: (task) => task.bytes_per_second, isNumber: true },
  { id: "lag", label: "Lag", value: (task) => task.lag_offsets, isNumber: true },
  { id: "error", label: "Last error", value: (task) => task.last_error?.text ?? null },
];

const count = (value: number) => ({ value: formatCount(value), unit: "" });

/** The tasks of a flow: where each runs, since when, why there, and its last error. */
export function TasksCard(flow: FlowAddress) {
  const [sort, setSort] = useAddressState("tasks_sort", "task");
  const answer = useInfiniteQuery(flowTasksQuery(flow));
  const now_ms = useNow();
  const { data: me } = useQuery(meQuery);
  const mayAct = me?.permissions.includes("flows.act") ?? false;
  const [dialog, order] = useOrderDialog();
  const tasks = rowsOf(answer);
  const note = useNowNote(tasks && runningText(tasks));
  const restartOf = (task: FlowTask) =>
    mayAct && <RestartTask task={task} name={taskName(task.task)} onOrder={order} />;
  return (
    <Card title="Tasks" note={note} tools={<TaskTools flow={flow} />}>
      {dialog}
      <PagedTable
        isStacked
        what="tasks"
        answer={answer}
        empty={
          <EmptyState icon={IconCpu} title="No task of this flow reports">
            Drivers run tasks while the flow is enabled. The Drivers page lists the drivers that report.
          </EmptyState>
        }
        columns={COLUMNS}
        rowId={(task) => `${task.task} ${task.driver ?? ""}`}
        sort={sort}
        onSort={setSort}
      >
        {(task) => (
          <TaskRow
            key={`${task.task} ${task.driver ?? ""}`}
            task={task}
            now_ms={now_ms}
            restart={restartOf(task)}
          />
        )}
      </PagedTable>
    </Card>
  );
}

function TaskTools({ flow }: { flow: FlowAddress }) {
  return (
    <>
      <StatesNote of="task" />
      <ListCommands list="tasks" flow={flow} />
    </>
  );
}

interface TaskRowProps {
  task: FlowTask;
  now_ms: number;
  restart: ReactNode;
}

function TaskRow({ task, now_ms, restart }: TaskRowProps) {
  const { cause, last_error: error } = task;
  return (
    <tr>
      <th scope="row" title={task.task}>
        <span className="task-name">
          <span>{wordOf(taskName(task.task))}</span>
          {restart}
        </span>
      </th>
      <td>
        <StateBadge tone={TASK_TONES[task.state]} word={wordOf(task.state)} />
        {cause !== null && cause.text !== error?.text && <span className="reason">{cause.text}</span>}
      </td>
      <td>
        {task.driver ?? <Unknown />}
        {hasMoved(task) && (
          <span className="reason" title={isoTime(task.moved.at_ms)}>
            Moved {ago(now_ms - task.moved.at_ms)} from {task.moved.from_driver}. {task.moved.text}
          </span>
        )}
      </td>
      <td className="numeric" title={isoTime(task.since_ms)}>
        {duration(now_ms - task.since_ms)}
      </td>
      <td className="numeric">
        <Figure value={task.partitions} as={count} />
      </td>
      <td className="numeric">
        <Figure value={task.bytes_per_second} as={bytesPerSecond} />
      </td>
      <td className="numeric">
        <Figure value={task.lag_offsets} as={records} />
      </td>
      <td className="muted task-error">{error === null ? "None" : error.text}</td>
    </tr>
  );
}
