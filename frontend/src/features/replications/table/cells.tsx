/** The cells of the table of flows: numbers by their metric's unit, the others each in their own form. */
import { useQuery } from "@tanstack/react-query";
import { memo, type ReactNode } from "react";
import { manySeriesQuery } from "@/api/queries";
import { RangeSparkline } from "@/components/chart/RangeSparkline";
import { Figure, Unknown } from "@/components/Figure";
import { StateBadge } from "@/components/StateBadge";
import { StatusBadge } from "@/components/StatusBadge";
import { useTimeRange } from "@/components/TimeRangeSelect";
import { Timestamp } from "@/components/Timestamp";
import {
  appliedWord,
  type FlowColumn,
  READINGS,
  readingOf,
  type TableFlow,
  whyNoLoss,
  whyUnknown,
} from "@/features/replications/table/columns";
import { LabelLinks } from "@/features/replications/table/LabelLinks";
import { count, formatCount, milliseconds } from "@/lib/format";
import { type Tone, toneOf } from "@/lib/status";
import { age, isoTime } from "@/lib/time";
import { quantityOf } from "@/lib/units";
import { areTasksKnown, type FlowRow } from "@/live/flow-row";

/** Counts whose heading names the unit. */
const BARE: ReadonlySet<string> = new Set(["lag", "gaps", "duplicates"]);

type Cell = (row: TableFlow) => ReactNode;

const CELLS: Readonly<Record<string, Cell>> = {
  status: ({ flow }) => (
    <span title={flow.since_ms === null ? undefined : `Since ${isoTime(flow.since_ms)}`}>
      <StatusBadge status={flow.status} />
    </span>
  ),
  throughput: (row) => (
    <span className="with-spark">
      <ThroughputSpark flowKey={row.flow.key} tone={toneOf(row.flow.status)} />
      <Figure
        value={readingOf(row, READINGS.throughput)}
        as={quantityOf("bytes_per_second")}
        why={whyUnknown(row, READINGS.throughput)}
      />
    </span>
  ),
  topics: ({ flow }) => <Figure value={flow.topics} as={count} />,
  partitions: ({ flow }) => <Figure value={flow.partitions} as={count} />,
  groups: ({ flow }) => <Groups flow={flow} />,
  tasks: ({ flow }) => <Tasks flow={flow} />,
  heartbeat: (row) => <Figure value={readingOf(row, READINGS.heartbeat)} as={age} />,
  catch_up: ({ flow, facts }) =>
    flow.lag_offsets === 0 ? "now" : <Figure value={facts?.catch_up_ms} as={milliseconds} />,
  loss: ({ facts }) => (
    <Figure value={facts?.time_to_loss_ms} as={milliseconds} tone="bad" why={whyNoLoss(facts)} />
  ),
  proven: ({ facts }) =>
    facts?.proven_until_ms == null ? (
      <Unknown why="no audit has proven this flow" />
    ) : (
      <Timestamp time_ms={facts.proven_until_ms} />
    ),
  applied: ({ facts }) => <Applied word={appliedWord(facts)} />,
  service: ({ flow }) => flow.service ?? "this one",
  owner: ({ facts }) => facts?.owner || <Unknown why="no owner" />,
  criticality: ({ facts }) => facts?.criticality ?? <Unknown />,
  labels: ({ facts }) => <LabelLinks labels={facts?.labels ?? {}} />,
};

export function FlowCell({ column, row }: { column: FlowColumn; row: TableFlow }) {
  const own = CELLS[column.id];
  const { reading } = column;
  return (
    <td className={column.isNumber ? "numeric" : undefined}>
      {own !== undefined
        ? own(row)
        : reading !== undefined && (
            <Figure
              value={readingOf(row, reading)}
              as={BARE.has(column.id) ? count : quantityOf(reading.metric)}
              why={whyUnknown(row, reading)}
            />
          )}
    </td>
  );
}

function Groups({ flow: { groups } }: { flow: FlowRow }) {
  if (groups === null) return <Unknown />;
  const { total, ready, approximate, blocked } = groups;
  const title = `${ready} ready, ${approximate} approximate, ${blocked} blocked`;
  return (
    <span className="figure" data-tone={blocked > 0 ? "warn" : undefined} title={title}>
      {formatCount(ready)}
      <span className="unit">/ {formatCount(total)}</span>
    </span>
  );
}

function Tasks({ flow }: { flow: FlowRow }) {
  const { tasks_running: running, tasks_total: total } = flow;
  if (!areTasksKnown(flow)) return <Unknown />;
  return (
    <span className="figure" data-tone={running < total ? "warn" : undefined}>
      {running}
      <span className="unit">/ {total}</span>
    </span>
  );
}

const APPLIED = {
  yes: { tone: "ok", word: "Applied" },
  no: { tone: "warn", word: "Not yet" },
  rejected: { tone: "bad", word: "Rejected" },
} as const;

function Applied({ word }: { word: ReturnType<typeof appliedWord> }) {
  return word === null ? <Unknown why="no task reports" /> : <StateBadge {...APPLIED[word]} />;
}

const TONE_COLORS = {
  ok: "var(--series-1)",
  warn: "var(--warn-fill)",
  bad: "var(--bad-fill)",
  idle: "var(--idle-fill)",
};

/** Not rendered with its row, whose numbers change every second. */
const ThroughputSpark = memo(function ThroughputSpark({ flowKey, tone }: { flowKey: string; tone: Tone }) {
  const { data: all } = useQuery(manySeriesQuery("bytes_per_second", useTimeRange()));
  return (
    <RangeSparkline
      flowKey={flowKey}
      live="bytes_per_second"
      stored={all?.get(flowKey)}
      pick="avg"
      points={60}
      width={68}
      height={26}
      color={TONE_COLORS[tone]}
    />
  );
});
