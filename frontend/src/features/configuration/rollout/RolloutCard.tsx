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
import { PlainTable } from "@/components/table/PlainTable";
import { useAppliedHere } from "@/features/configuration/rollout/applied";
import { Chips } from "@/features/configuration/rollout/RevisionChips";
import {
  PUBLISH_MS,
  progressOf,
  type TargetProgress,
  watchMs,
} from "@/features/configuration/rollout/rollout";
import { plural } from "@/lib/format";
import { useNow } from "@/live/context";

const COLUMNS = ["Target", "State", "Drivers"];

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
        <PlainTable label="Table of revisions" headings={COLUMNS} tableClass="rollout-table" isStacked>
          {targets.map((progress) => (
            <TargetRow key={progress.target} progress={progress} isPending={isPending(progress)} />
          ))}
        </PlainTable>
      )}
    </Card>
  );
}

const readStates = async () => {
  const { ROLLOUT_MEANINGS } = await import("@/components/definition/meanings");
  return <MeaningList meanings={Object.entries(ROLLOUT_MEANINGS)} />;
};

function TargetRow({ progress, isPending }: { progress: TargetProgress; isPending: boolean }) {
  const { target, desired, applied, isApplied, drivers, rejected } = progress;
  return (
    <tr>
      <th scope="row">
        <Link to="/clusters/$alias" params={{ alias: target }}>
          {target}
        </Link>
      </th>
      <td>
        <span className="rollout-state">
          <State progress={progress} isPending={isPending} />
          <Chips desired={desired} applied={applied} isApplied={isApplied && !isPending} />
        </span>
        {rejected.map(({ path, error }) => (
          <p key={`${path} ${error}`} className="rollout-rejected">
            <code>{path}</code>: {error}
          </p>
        ))}
      </td>
      <td>
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
      </td>
    </tr>
  );
}

function State({ progress, isPending }: { progress: TargetProgress; isPending: boolean }) {
  if (progress.rejected.length > 0) return <StateBadge tone="bad" word="Rejected in part" />;
  if (isPending) return <StateBadge tone="idle" word="Being published" />;
  if (progress.isApplied) return <StateBadge tone="ok" word="Applied" />;
  if (progress.drivers.length === 0) return <StateBadge tone="idle" word="No task reports" />;
  return <StateBadge tone="idle" word="Applying" />;
}
