/** Which driver runs which tasks: the matrix of flows and drivers, its load, and drivers that are gone. Pure. */
import type { Driver, FlowEvent, FlowTask } from "@/api/types";

export interface Cell {
  tasks: number;
  failed: number;
}

export interface MatrixRow {
  source: string;
  target: string;
  cells: readonly Cell[];
  /** tasks that no driver has */
  unassigned: number;
}

export interface Load {
  driver: string;
  tasks: number;
  failed: number;
  /** null: no task reports it */
  bytes_per_second: number | null;
}

export interface Matrix {
  loads: readonly Load[];
  rows: readonly MatrixRow[];
}

/** A row per flow, those with failed or unassigned tasks first; a column per driver process. */
export function matrixOf(tasks: readonly FlowTask[], drivers: readonly Driver[]): Matrix {
  const running = tasks.flatMap(({ driver }) => driver ?? []);
  const columns = [...new Set([...drivers.map(({ id }) => id), ...running])].sort();
  const flows = new Map<string, FlowTask[]>();
  for (const task of tasks) {
    const key = `${task.source}->${task.target}`;
    const own = flows.get(key);
    if (own === undefined) flows.set(key, [task]);
    else own.push(task);
  }
  const rows = [...flows.values()].map((own) => rowOf(own, columns));
  return {
    loads: columns.map((driver) => loadOf(driver, tasks)),
    rows: rows.sort((a, b) => troubleOf(b) - troubleOf(a) || nameOf(a).localeCompare(nameOf(b))),
  };
}

function rowOf(tasks: readonly FlowTask[], columns: readonly string[]): MatrixRow {
  const { source = "", target = "" } = tasks[0] ?? {};
  return {
    source,
    target,
    cells: columns.map((driver) => cellOf(tasks.filter((task) => task.driver === driver))),
    unassigned: tasks.filter(({ driver }) => driver === null).length,
  };
}

function cellOf(tasks: readonly FlowTask[]): Cell {
  return { tasks: tasks.length, failed: tasks.filter(({ state }) => state === "failed").length };
}

function loadOf(driver: string, tasks: readonly FlowTask[]): Load {
  const own = tasks.filter((task) => task.driver === driver);
  const rates = own.flatMap(({ bytes_per_second }) => bytes_per_second ?? []);
  return {
    driver,
    ...cellOf(own),
    bytes_per_second: rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0),
  };
}

const troubleOf = ({ cells, unassigned }: MatrixRow) =>
  cells.reduce((sum, { failed }) => sum + failed, unassigned);
const nameOf = ({ source, target }: MatrixRow) => `${source} ${target}`;

export interface GoneDriver {
  id: string;
  /** the newest time at which something is known of it */
  seen_ms: number;
  /** tasks of now that came from it */
  moved: number;
}

/** Drivers that do not report any more, but of which tasks and events still tell. */
export function goneDrivers(
  drivers: readonly Driver[],
  tasks: readonly FlowTask[],
  events: readonly FlowEvent[],
): GoneDriver[] {
  const present = new Set(drivers.flatMap(({ id, parent }) => [id, parent]));
  const moves = tasks.flatMap(({ moved }) =>
    moved?.from_driver == null ? [] : [{ id: moved.from_driver, at_ms: moved.at_ms, isMove: true }],
  );
  const told = events.map(({ driver, time_ms }) => ({ id: driver, at_ms: time_ms, isMove: false }));
  const gone = new Map<string, GoneDriver>();
  for (const { id, at_ms, isMove } of [...moves, ...told]) {
    if (id === "" || present.has(id)) continue;
    const known = gone.get(id) ?? { id, seen_ms: at_ms, moved: 0 };
    gone.set(id, {
      id,
      seen_ms: Math.max(known.seen_ms, at_ms),
      moved: known.moved + (isMove ? 1 : 0),
    });
  }
  return [...gone.values()].sort((a, b) => b.seen_ms - a.seen_ms);
}
