import { IconCheck } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { flowsQuery } from "@/api/queries";
import { StaleNote } from "@/components/answer/Answered";
import { ListCommands } from "@/components/by-hand/ListCommands";
import { Card } from "@/components/Card";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import { StateBadge } from "@/components/StateBadge";
import { EmptyState, ErrorState, LoadingRows } from "@/components/states";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";
import { useAppliedHere } from "@/features/configuration/rollout/applied";
import { Chips } from "@/features/configuration/rollout/RevisionChips";
import {
  PUBLISH_MS,
  progressOf,
  type TargetProgress,
  watchMs,
} from "@/features/configuration/rollout/rollout";
import { plural } from "@/lib/format";
import type { Tone } from "@/lib/status";
import { useNow } from "@/live/context";

/** How far the drivers are: desired against applied revisions by target, and the tasks of each driver. */
export function RolloutCard() {
  const here = useAppliedHere();
  const { data, error, refetch, dataUpdatedAt } = useQuery({
    ...flowsQuery,
    refetchInterval: ({ state }) => watchMs(state.data?.flows ?? [], here?.at_ms ?? null, Date.now()),
  });
  const now_ms = useNow();
  const targets = progressOf(data?.flows ?? []);
  const isPending = ({ target, desired }: TargetProgress) =>
    here !== undefined &&
    now_ms - here.at_ms < PUBLISH_MS &&
    here.flows.some((flow) => flow.target === target) &&
    here.before[target] === desired;
  return (
    <Card
      title="At the drivers"
      note="the desired revision of each target, and what its tasks have applied"
      tools={
        <>
          <HelpNote name="the states of a rollout" read={readStates} width={320} />
          <ListCommands list="flows" />
        </>
      }
    >
      {data === undefined && error === null && <LoadingRows rows={2} label="Loading the revisions" />}
      {data === undefined && error !== null && (
        <ErrorState what="The revisions" error={error} onRetry={() => void refetch()} />
      )}
      <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} />
      {data !== undefined && targets.length === 0 && (
        <EmptyState icon={IconCheck} title="No flow is defined">
          Drivers apply nothing while there is no flow.
        </EmptyState>
      )}
      {targets.length > 0 && (
        <RolloutTable targets={targets.map((each) => ({ ...each, isPending: isPending(each) }))} />
      )}
    </Card>
  );
}

const readStates = async () => {
  const { ROLLOUT_MEANINGS } = await import("@/components/definition/meanings");
  return <MeaningList meanings={Object.entries(ROLLOUT_MEANINGS)} />;
};

/** The progress of a target; `isPending`: what is wanted is not published yet. */
interface TargetRow extends TargetProgress {
  isPending: boolean;
}

const COLUMNS: readonly CellColumn<TargetRow>[] = [
  {
    id: "target",
    label: "Target",
    value: ({ target }) => target,
    cell: ({ target }) => (
      <Link to="/clusters/$alias" params={{ alias: target }}>
        {target}
      </Link>
    ),
  },
  {
    id: "state",
    label: "State",
    value: (row) => stateOf(row).word,
    cell: (row) => <TargetState row={row} />,
  },
  {
    id: "drivers",
    label: "Drivers",
    value: ({ drivers }) => drivers.length,
    cell: (row) => <TargetDrivers row={row} />,
  },
];

function RolloutTable({ targets }: { targets: readonly TargetRow[] }) {
  const view = useTableView("revisions", COLUMNS, "target", "rollout");
  return (
    <SmallTable
      label="Table of revisions"
      className="rollout-table"
      view={view}
      rows={targets}
      rowId={({ target }) => target}
    />
  );
}

function TargetState({ row }: { row: TargetRow }) {
  const { desired, applied, isApplied, isPending, rejected } = row;
  return (
    <>
      <span className="rollout-state">
        <StateBadge {...stateOf(row)} />
        <Chips desired={desired} applied={applied} isApplied={isApplied && !isPending} />
      </span>
      {rejected.map(({ path, error }) => (
        <p key={`${path} ${error}`} className="rollout-rejected">
          <code>{path}</code>: {error}
        </p>
      ))}
    </>
  );
}

function TargetDrivers({ row: { drivers, isPending } }: { row: TargetRow }) {
  return (
    <>
      {drivers.length === 0 && <span className="muted">no task reports</span>}
      <ul className="rollout-drivers">
        {drivers.map(({ driver, done, tasks }) => (
          <li key={driver}>
            <span className="rollout-driver">{driver}</span>
            <progress value={isPending ? 0 : done} max={tasks} aria-label={`Tasks of ${driver}`} />
            <span className="muted nowrap">
              {isPending ? 0 : done} of {plural(tasks, "task")}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

function stateOf({ rejected, isPending, isApplied, drivers }: TargetRow): { tone: Tone; word: string } {
  if (rejected.length > 0) return { tone: "bad", word: "Rejected in part" };
  if (isPending) return { tone: "idle", word: "Being published" };
  if (isApplied) return { tone: "ok", word: "Applied" };
  return { tone: "idle", word: drivers.length === 0 ? "No task reports" : "Applying" };
}
