/** The columns of the table of drivers. */
import { Link } from "@tanstack/react-router";
import type { Driver } from "@/api/types";
import { TermNote } from "@/components/definition/TermNote";
import { Figure, Unknown } from "@/components/Figure";
import { ShortName } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { DrainCell } from "@/features/drivers/DrainCell";
import { RestartButton } from "@/features/drivers/RestartButton";
import { bytes, percent } from "@/lib/format";
import { duration, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

/** A driver with the time of its report by the clock of this browser, which may differ from that of the service. */
export function byOwnClock(driver: Driver, as_of_ms: number, read_ms: number): Driver {
  const { sent_ms } = driver;
  return sent_ms === null ? driver : { ...driver, sent_ms: sent_ms + read_ms - as_of_ms };
}

/** A driver reports every second; Redis expires the report after ten. */
const LATE_MS = 5_000;

export const PROCESS_COLUMNS: readonly CellColumn<Driver>[] = [
  {
    id: "driver",
    label: "Driver",
    value: ({ parent, id }) => `${parent} ${id}`,
    cell: ({ id }) => id,
  },
  {
    id: "role",
    label: "Role",
    hint: "What the process does for the driver",
    value: ({ role }) => role,
    cell: ({ role }) => role,
  },
  {
    id: "state",
    label: "State",
    hint: "Reporting: it reported in the last 5 seconds. Silent: it did not. Draining: its tasks move to other drivers. Leaving: it is stopping. Restarting: it is about to return",
    value: (driver) => stateOf(driver, Date.now()).word,
    cell: (driver) => <DriverState driver={driver} />,
  },
  {
    id: "host",
    label: "Host",
    hint: "Its host, and the id of the process there",
    value: ({ host }) => host,
    cell: ({ host, pid }) => (
      <>
        <ShortName name={host ?? "unknown"} most={20} />{" "}
        <span className="fact-note nowrap">process {pid ?? "unknown"}</span>
      </>
    ),
    cellClass: "muted",
  },
  {
    id: "targets",
    label: "Targets and labels",
    hint: "The clusters that it may write to, and its labels",
    value: placeText,
    cell: placeText,
    cellClass: "muted",
  },
  {
    id: "tasks",
    label: "Tasks",
    hint: "Tasks assigned to it now",
    value: ({ tasks }) => tasks,
    isNumber: true,
    cell: ({ tasks }) => tasks,
  },
  {
    id: "load",
    label: "Load",
    hint: "Percent of a core that its source tasks need, measured",
    note: <TermNote term="driver_load" name="Load" />,
    value: ({ load_percent }) => load_percent,
    isNumber: true,
    cell: ({ load_percent }) => (
      <Figure value={load_percent === null ? null : load_percent / 100} as={percent} />
    ),
  },
  {
    id: "cpu",
    label: "CPU",
    hint: "Cores that the process uses; 100 % is one core",
    value: ({ cpu_ratio }) => cpu_ratio,
    isNumber: true,
    cell: ({ cpu_ratio }) => <Figure value={cpu_ratio} as={percent} />,
  },
  {
    id: "memory",
    label: "Memory",
    hint: "Resident memory of the process",
    value: ({ rss_bytes }) => rss_bytes,
    isNumber: true,
    cell: ({ rss_bytes }) => <Figure value={rss_bytes} as={bytes} />,
  },
  {
    id: "running",
    label: "Running for",
    hint: "Time since the process started",
    value: ({ started_ms }) => (started_ms === null ? null : -started_ms),
    isNumber: true,
    cell: ({ started_ms }) => <RunningFor started_ms={started_ms} />,
  },
  {
    id: "version",
    label: "Version",
    value: ({ version }) => version,
    cell: ({ version }) => version,
    cellClass: "muted",
  },
];

/** Processes whose names lead to the pages of their drivers. */
const LINKED_COLUMNS = PROCESS_COLUMNS.map((column) =>
  column.id === "driver" ? { ...column, cell: DriverLink, cellClass: "flow-cell" } : column,
);

function DriverLink({ id, parent }: Driver) {
  return (
    <Link to="/drivers/$id" params={{ id: parent }} search={({ from, to }) => ({ from, to })}>
      {id}
    </Link>
  );
}

/** The columns; that of the orders only for those who may give them, or while a driver is drained. */
export function driverColumns(mayAct: boolean, hasDrain: boolean): readonly CellColumn<Driver>[] {
  return mayAct || hasDrain ? [...LINKED_COLUMNS, ordersColumn(mayAct)] : LINKED_COLUMNS;
}

/** One place for all processes of a driver that are listed one after the other. */
function ordersColumn(mayAct: boolean): CellColumn<Driver> {
  return {
    id: "orders",
    label: mayAct ? "Orders" : "Drain",
    value: ({ drain, parent }) => `${drain ? 0 : 1} ${parent}`,
    isFixed: true,
    cellClass: "orders-cell",
    span: (place, rows) => {
      const parent = rows[place]?.parent;
      if (rows[place - 1]?.parent === parent) return 0;
      const end = rows.findIndex((row, at) => at > place && row.parent !== parent);
      return (end === -1 ? rows.length : end) - place;
    },
    cell: ({ parent }, rows) => (
      <div className="driver-orders">
        <DrainCell
          driver={parent}
          isDrained={rows.some((row) => row.parent === parent && row.drain)}
          mayAct={mayAct}
        />
        {mayAct && <RestartButton driver={parent} />}
      </div>
    ),
  };
}

function placeText({ targets, labels }: Driver): string {
  return [...targets, ...Object.entries(labels).map(([key, value]) => `${key}=${value}`)].join(", ");
}

function RunningFor({ started_ms }: { started_ms: number | null }) {
  const now_ms = useNow();
  if (started_ms === null) return <Unknown />;
  return <span title={isoTime(started_ms)}>{duration(now_ms - started_ms)}</span>;
}

function DriverState({ driver }: { driver: Driver }) {
  return <StateBadge {...stateOf(driver, useNow())} />;
}

function stateOf(driver: Driver, now_ms: number) {
  const silence_ms = now_ms - (driver.sent_ms ?? now_ms);
  if (silence_ms > LATE_MS) return { tone: "warn", word: `Silent for ${duration(silence_ms)}` } as const;
  if (driver.returning_until_ms !== null) return { tone: "idle", word: "Restarting" } as const;
  if (driver.leaving) return { tone: "idle", word: "Leaving" } as const;
  if (driver.drain) return { tone: "idle", word: "Draining" } as const;
  return { tone: "ok", word: "Reporting" } as const;
}
