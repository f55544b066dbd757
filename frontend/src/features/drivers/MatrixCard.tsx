import "@/features/drivers/drivers.css";
import { IconLayoutGrid } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { tasksQuery } from "@/api/drivers";
import type { Driver } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Figure, Unknown } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { EmptyState } from "@/components/states";
import { type Cell, type Load, type Matrix, type MatrixRow, matrixOf } from "@/features/drivers/matrix";
import { bytesPerSecond, percent, plural } from "@/lib/format";

/** Which driver runs how many tasks of which flow, those in trouble first. */
export function MatrixCard({ drivers }: { drivers: readonly Driver[] }) {
  const answer = useQuery(tasksQuery);
  return (
    <Card
      title="Tasks by flow and driver"
      note={answer.data && plural(answer.data.length, "task")}
      tools={<ListCommands list="tasks" />}
    >
      <Answered what="tasks" answer={answer}>
        {(tasks) =>
          tasks.length > 0 ? (
            <MatrixTable matrix={matrixOf(tasks, drivers)} />
          ) : (
            <EmptyState icon={IconLayoutGrid} title="No driver runs a task">
              Drivers take tasks as soon as a flow is enabled.
            </EmptyState>
          )
        }
      </Answered>
    </Card>
  );
}

function MatrixTable({ matrix: { loads, rows } }: { matrix: Matrix }) {
  const hasUnassigned = rows.some(({ unassigned }) => unassigned > 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="table-scroll" aria-label="Table of tasks by flow and driver" tabIndex={0}>
      <table className="table matrix">
        <thead>
          <tr>
            <th scope="col">Replication flow</th>
            {loads.map(({ driver }) => (
              <th key={driver} scope="col" className="numeric">
                {driver}
              </th>
            ))}
            {hasUnassigned && (
              <th scope="col" className="numeric">
                Without a driver
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <FlowTasks key={`${row.source} ${row.target}`} row={row} hasUnassigned={hasUnassigned} />
          ))}
        </tbody>
        <tfoot>
          <LoadRow name="Load" title="Percent of a core, measured" loads={loads} isCut={hasUnassigned}>
            {({ load_percent }) => (
              <Figure value={load_percent === null ? null : load_percent / 100} as={percent} />
            )}
          </LoadRow>
          <LoadRow name="Throughput" title="Of its source tasks" loads={loads} isCut={hasUnassigned}>
            {({ bytes_per_second }) => <Figure value={bytes_per_second} as={bytesPerSecond} />}
          </LoadRow>
        </tfoot>
      </table>
    </section>
  );
}

function FlowTasks({ row, hasUnassigned }: { row: MatrixRow; hasUnassigned: boolean }) {
  const { source, target, cells, unassigned } = row;
  return (
    <tr>
      <th scope="row" className="flow-cell">
        <Link
          to="/replications/$source/$target"
          params={{ source, target }}
          search={(search) => ({ from: search.from, to: search.to, tab: "tasks" as const })}
        >
          <FlowName source={source} target={target} />
        </Link>
      </th>
      {cells.map((cell, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the columns of a row never move
        <td key={place} className="numeric">
          <Tasks cell={cell} />
        </td>
      ))}
      {hasUnassigned && (
        <td className="numeric">{unassigned > 0 && <span data-tone="warn">{unassigned}</span>}</td>
      )}
    </tr>
  );
}

function Tasks({ cell: { tasks, failed } }: { cell: Cell }) {
  if (tasks === 0) return <Unknown why="no task" />;
  if (failed === 0) return tasks;
  return (
    <>
      {tasks}, <span data-tone="bad">{failed} failed</span>
    </>
  );
}

interface LoadRowProps {
  name: string;
  title: string;
  loads: readonly Load[];
  isCut: boolean;
  children: (load: Load) => ReactNode;
}

function LoadRow({ name, title, loads, isCut, children }: LoadRowProps) {
  return (
    <tr>
      <th scope="row" title={title}>
        {name}
      </th>
      {loads.map((load) => (
        <td key={load.driver} className="numeric">
          {children(load)}
        </td>
      ))}
      {isCut && <td />}
    </tr>
  );
}
