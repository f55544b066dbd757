import "@/features/drivers/drivers.css";
import { IconLayoutGrid } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";
import { tasksQuery } from "@/api/drivers";
import type { FlowAddress } from "@/api/queries";
import type { Driver } from "@/api/types";
import { Answered } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { Figure, Unknown } from "@/components/Figure";
import { FlowName } from "@/components/FlowName";
import { EmptyState } from "@/components/states";
import { type CellColumn, ColumnTable } from "@/components/table/ColumnTable";
import { ColumnMenu } from "@/components/table/columns/ColumnMenu";
import { useTableView } from "@/components/table/useTableView";
import { type Cell, type Load, type MatrixRow, matrixOf } from "@/features/drivers/matrix";
import { bytesPerSecond, percent } from "@/lib/format";
import { runningText } from "@/lib/tasks";

/** Which driver runs how many tasks of which flow, those in trouble first. */
export function MatrixCard({ drivers }: { drivers: readonly Driver[] }) {
  const answer = useQuery(tasksQuery);
  const { loads, rows } = useMemo(() => matrixOf(answer.data ?? [], drivers), [answer.data, drivers]);
  const columns = useMemo(() => matrixColumns(loads, rows), [loads, rows]);
  const view = useTableView("tasks", columns, "", "matrix");
  const shown = loads.filter((_, place) => view.columns.some(({ id }) => id === columnId(place)));
  const isCut = view.columns.some(({ id }) => id === UNASSIGNED);
  return (
    <Card
      title="Tasks by flow and driver"
      note={answer.data && runningText(answer.data)}
      tools={
        <>
          {rows.length > 0 && <ColumnMenu {...view} />}
          <ListCommands list="tasks" />
        </>
      }
    >
      <Answered what="tasks" answer={answer}>
        {() =>
          rows.length > 0 ? (
            <ColumnTable
              label="Table of tasks by flow and driver"
              className="matrix"
              isStacked={false}
              view={view}
              rows={rows}
              rowId={({ source, target }) => `${source} ${target}`}
              foot={<Loads loads={shown} isCut={isCut} />}
            />
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

const UNASSIGNED = "unassigned";
/** Names of drivers may have commas, by which the address separates columns. */
const columnId = (place: number) => `driver_${place}`;

/** The flow, then a column for each driver, then the tasks without one. */
function matrixColumns(loads: readonly Load[], rows: readonly MatrixRow[]): readonly CellColumn<MatrixRow>[] {
  const drivers = loads.map(
    ({ driver }, place): CellColumn<MatrixRow> => ({
      id: columnId(place),
      label: driver,
      value: ({ cells }) => cells[place]?.tasks ?? null,
      isNumber: true,
      cell: ({ cells }) => <Tasks cell={cells[place] ?? NO_TASK} />,
    }),
  );
  return [
    FLOW_COLUMN,
    ...drivers,
    ...(rows.some(({ unassigned }) => unassigned > 0) ? [UNASSIGNED_COLUMN] : []),
  ];
}

const NO_TASK: Cell = { tasks: 0, failed: 0 };

export const FLOW_COLUMN: CellColumn<FlowAddress> = {
  id: "flow",
  label: "Replication flow",
  value: ({ source, target }) => `${source} ${target}`,
  cell: ({ source, target }) => (
    <Link
      to="/replications/$source/$target"
      params={{ source, target }}
      search={(search) => ({ from: search.from, to: search.to, tab: "tasks" as const })}
    >
      <FlowName source={source} target={target} />
    </Link>
  ),
  cellClass: "flow-cell",
};

const UNASSIGNED_COLUMN: CellColumn<MatrixRow> = {
  id: UNASSIGNED,
  label: "Without a driver",
  value: ({ unassigned }) => unassigned,
  isNumber: true,
  cell: ({ unassigned }) => unassigned > 0 && <span data-tone="warn">{unassigned}</span>,
};

function Loads({ loads, isCut }: { loads: readonly Load[]; isCut: boolean }) {
  return (
    <tfoot>
      <LoadRow name="Load" title="Percent of a core, measured" loads={loads} isCut={isCut}>
        {({ load_percent }) => (
          <Figure value={load_percent === null ? null : load_percent / 100} as={percent} />
        )}
      </LoadRow>
      <LoadRow name="Throughput" title="Of its source tasks" loads={loads} isCut={isCut}>
        {({ bytes_per_second }) => <Figure value={bytes_per_second} as={bytesPerSecond} />}
      </LoadRow>
    </tfoot>
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
