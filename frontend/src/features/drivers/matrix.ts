/** Which driver runs which tasks: the matrix of flows and drivers, and the newest moves and errors. Pure. */
import type { Driver, FlowTask } from "@/api/types";
import { hasMoved, type MovedTask } from "@/lib/moves";
import type { Tone } from "@/lib/status";

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
  /** of a core, summed over the roles of the process; null: not reported */
  load_percent: number | null;
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
    loads: columns.map((driver) => loadOf(driver, tasks, drivers)),
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

function loadOf(driver: string, tasks: readonly FlowTask[], drivers: readonly Driver[]): Load {
  const own = tasks.filter((task) => task.driver === driver);
  const loads = drivers.filter(({ id }) => id === driver).map(({ load_percent }) => load_percent);
  return {
    driver,
    ...cellOf(own),
    bytes_per_second: sumOf(own.map(({ bytes_per_second }) => bytes_per_second)),
    load_percent: sumOf(loads),
  };
}

/** The sum of the known values; null: none is known. */
function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.flatMap((value) => value ?? []);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

const troubleOf = ({ cells, unassigned }: MatrixRow) =>
  cells.reduce((sum, { failed }) => sum + failed, unassigned);
const nameOf = ({ source, target }: MatrixRow) => `${source} ${target}`;

/** The tasks that moved to another driver since a time, the newest first. A first start is no move. */
export function movesOf(tasks: readonly FlowTask[], since_ms: number): MovedTask[] {
  const isMoved = (task: FlowTask): task is MovedTask => hasMoved(task) && task.moved.at_ms >= since_ms;
  return tasks.filter(isMoved).sort((a, b) => b.moved.at_ms - a.moved.at_ms);
}

/** A task with an error, by its state now. */
export const AFTER_ERROR: Readonly<Record<FlowTask["state"], { tone: Tone; word: string }>> = {
  failed: { tone: "bad", word: "Failed" },
  unassigned: { tone: "warn", word: "Without a driver" },
  starting: { tone: "idle", word: "Starts again" },
  stopping: { tone: "idle", word: "Stops" },
  running: { tone: "ok", word: "Runs again" },
};

export type TaskWithError = FlowTask & { last_error: NonNullable<FlowTask["last_error"]> };

/** The tasks that reported an error, failed ones first, then the newest. */
export function errorsOf(tasks: readonly FlowTask[]): TaskWithError[] {
  const isKnown = (task: FlowTask): task is TaskWithError => task.last_error !== null;
  const weight = ({ state, last_error }: TaskWithError) =>
    (state === "failed" ? Number.MAX_SAFE_INTEGER / 2 : 0) + (last_error.since_ms ?? 0);
  return tasks.filter(isKnown).sort((a, b) => weight(b) - weight(a));
}
