import { IconArrowsExchange } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { tasksQuery } from "@/api/drivers";
import type { FlowTask } from "@/api/types";
import { Card } from "@/components/Card";
import { FlowName } from "@/components/FlowName";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState } from "@/components/states";
import { Timestamp } from "@/components/Timestamp";
import { stackedLabels } from "@/components/table/stacked";
import { errorsOf, movesOf } from "@/features/drivers/matrix";

const DAY_MS = 86_400_000;
const MOST_ROWS = 20;

/** Tasks that moved to another driver in the last day, with the reason. */
export function MovesCard() {
  const { data } = useQuery(tasksQuery);
  if (data === undefined) return null;
  const moves = movesOf(data, Date.now() - DAY_MS);
  return (
    <Card title="Moves" note="of the last 24 hours">
      {moves.length === 0 ? (
        <EmptyState icon={IconArrowsExchange} title="No task has moved">
          A task moves when its driver leaves, is drained, or has more load than the others.
        </EmptyState>
      ) : (
        <TasksTable label="Table of moves" columns={["Time", "From", "To", "Reason"]} rows={moves}>
          {(task) => (
            <>
              <td className="nowrap">
                <Timestamp time_ms={task.moved.at_ms} />
              </td>
              <td>{task.moved.from_driver}</td>
              <td>{task.driver ?? "no driver"}</td>
              <td>{task.moved.text}</td>
            </>
          )}
        </TasksTable>
      )}
    </Card>
  );
}

/** The last error of each task that reported one, also of those that run again. */
export function ErrorsCard() {
  const { data } = useQuery(tasksQuery);
  const errors = data === undefined ? [] : errorsOf(data);
  if (errors.length === 0) return null;
  return (
    <Card title="Last errors">
      <TasksTable label="Table of errors" columns={["State", "Driver", "Since", "Error"]} rows={errors}>
        {(task) => (
          <>
            <td>
              {task.state === "failed" ? (
                <StateBadge tone="bad" word="Failed" />
              ) : (
                <StateBadge tone="ok" word="Runs again" />
              )}
            </td>
            <td>{task.driver ?? "no driver"}</td>
            <td className="nowrap">
              {task.last_error.since_ms !== null && <Timestamp time_ms={task.last_error.since_ms} />}
            </td>
            <td>
              {task.last_error.text}
              {task.last_error.topic !== null && (
                <span className="reason">
                  <NameText name={task.last_error.topic} />
                  {task.last_error.partition !== null && `, partition ${task.last_error.partition}`}
                </span>
              )}
            </td>
          </>
        )}
      </TasksTable>
    </Card>
  );
}

interface TasksTableProps<Row extends FlowTask> {
  label: string;
  columns: readonly string[];
  rows: readonly Row[];
  children: (row: Row) => ReactNode;
}

function TasksTable<Row extends FlowTask>({ label, columns, rows, children }: TasksTableProps<Row>) {
  const names = ["Replication flow", "Task", ...columns];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label={label} tabIndex={0} style={stackedLabels(names)}>
      <table className="table stacked task-rows">
        <thead>
          <tr>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, MOST_ROWS).map((row) => (
            <tr key={`${row.target} ${row.task}`}>
              <th scope="row">
                <FlowName source={row.source} target={row.target} />
              </th>
              <td className="muted nowrap">{row.task.slice(row.source.length + 1)}</td>
              {children(row)}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
