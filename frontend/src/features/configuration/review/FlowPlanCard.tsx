import type { FlowPlan } from "@/api/types";
import { Card } from "@/components/Card";
import { NameText } from "@/components/NameText";
import { NameList } from "@/components/plan/NameList";
import { PlanFindings } from "@/components/plan/PlanFindings";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";
import { countOf } from "@/features/configuration/review/summary";
import { bytes, joined, plural, records } from "@/lib/format";

const OUTCOMES = {
  created: { tone: "ok", word: "Created" },
  changed: { tone: "idle", word: "Changed" },
  removed: { tone: "bad", word: "Removed" },
} as const;

/** The effect of a change on one flow: its values, topics, configs, rights, tasks and data to copy. */
export function FlowPlanCard({ plan }: { plan: FlowPlan }) {
  const { source, target, changes } = plan;
  return (
    <Card
      title={`${source} → ${target}`}
      note={<StateBadge {...OUTCOMES[plan.outcome]} />}
      tools={<TaskNote plan={plan} />}
    >
      {plan.values.length > 0 && <ValuesTable plan={plan} />}
      {changes.estimate !== null && changes.estimate.records > 0 && (
        <p className="card-body plan-estimate">
          Copies {changes.estimate.is_upper_bound && "at most "}
          {joined(records(changes.estimate.records))}
          {changes.estimate.bytes !== null && ` (${joined(bytes(changes.estimate.bytes))})`} of{" "}
          {plural(changes.estimate.partitions, "partition")} that are new to the flow.
        </p>
      )}
      <PlanFindings plan={plan} findings={[]} />
      <Lists changes={changes} />
    </Card>
  );
}

function TaskNote({ plan: { changes } }: { plan: FlowPlan }) {
  const { tasks } = changes;
  if (tasks === null) return null;
  const because = [...new Set(tasks.restarts.flatMap(({ because }) => because))];
  return (
    <span className="card-note">
      {tasks.before === tasks.after ? plural(tasks.after, "slot") : `${tasks.before} to ${tasks.after} slots`}
      {tasks.restarts.length > 0 && `, ${plural(tasks.restarts.length, "restart")}`}
      {because.length > 0 && ` because of ${because.join(", ")}`}
      {tasks.moved_partitions > 0 && `, ${plural(tasks.moved_partitions, "partition")} to other slots`}
      {tasks.is_new_generation && "; the plan begins a new generation"}
    </span>
  );
}

type PlannedValue = FlowPlan["values"][number];

const COLUMNS: readonly CellColumn<PlannedValue>[] = [
  {
    id: "key",
    label: "Key",
    value: ({ key }) => key,
    cell: ({ key }) => (
      <code>
        <NameText name={key} />
      </code>
    ),
  },
  {
    id: "before",
    label: "In force",
    value: ({ before }) => before,
    cell: ({ before, level_before }) => (
      <>
        {before === null ? <Unset /> : <del>{before || "(empty)"}</del>}
        <Level level={level_before} />
      </>
    ),
  },
  {
    id: "after",
    label: "After",
    value: ({ after }) => after,
    cell: ({ after, level_after }) => (
      <>
        {after === null ? <Unset /> : <ins>{after || "(empty)"}</ins>}
        <Level level={level_after} />
      </>
    ),
  },
  { id: "effect", label: "Takes effect", value: effectOf, cell: effectOf, cellClass: "muted" },
];

function ValuesTable({ plan: { source, target, values } }: { plan: FlowPlan }) {
  const view = useTableView("values of a plan", COLUMNS, "", "plan");
  return (
    <SmallTable
      label={`Values of ${source} to ${target}`}
      className="changes"
      view={view}
      rows={values}
      rowId={({ key }) => key}
    />
  );
}

function effectOf({ takes_effect }: PlannedValue): string {
  return EFFECTS[takes_effect ?? "unknown"];
}

const EFFECTS = { live: "while copying", restart: "slots restart", unknown: "not known" } as const;

const Unset = () => <span className="muted">not set</span>;

function Level({ level }: { level: string | null }) {
  if (level === null) return null;
  return (
    <>
      {" "}
      <span className="level-chip" data-level={level}>
        {level}
      </span>
    </>
  );
}

type Changes = FlowPlan["changes"];

function configText({ topic, key, before, after }: NonNullable<Changes["configs"]>[number]): string {
  return `${topic}: ${key} ${before ?? "unset"} to ${after ?? "unset"}`;
}

function aclText(acl: NonNullable<Changes["acls"]>[number]): string {
  const verb = acl.is_deleted ? "delete" : "create";
  return `${verb} on ${acl.topic}: ${acl.permission} ${acl.operation} to ${acl.principal} from ${acl.host}`;
}

/** The topics, names, configs and rights that change; lists without entries are left out. */
function Lists({ changes }: { changes: Changes }) {
  const names = (list: readonly string[] | null) => list ?? [];
  return (
    <>
      <NameList
        title="Topics that are created"
        names={names(
          changes.topics_created?.map((topic) => `${topic.name}, ${plural(topic.partitions, "partition")}`) ??
            null,
        )}
        total={countOf(changes, "topics_created")}
      />
      <NameList
        title="Topics that get more partitions"
        names={names(
          changes.topics_widened?.map((topic) => `${topic.name}, ${topic.before} to ${topic.after}`) ?? null,
        )}
        total={countOf(changes, "topics_widened")}
      />
      <NameList
        title="Topics that are copied from now on"
        names={names(changes.topics_added)}
        total={countOf(changes, "topics_added")}
      />
      <NameList
        title="Topics that are no longer copied"
        names={names(changes.topics_removed)}
        total={countOf(changes, "topics_removed")}
      />
      <NameList
        title="Topics whose remote name changes"
        names={names(
          changes.topics_renamed?.map((topic) => `${topic.upstream}: ${topic.before} to ${topic.after}`) ??
            null,
        )}
        total={countOf(changes, "topics_renamed")}
      />
      <NameList
        title="Remote names that are taken"
        names={names(
          changes.names_taken?.map(
            (name) => `${name.remote} for ${name.upstream}, taken by ${name.taken_by ?? "another topic"}`,
          ) ?? null,
        )}
        total={countOf(changes, "names_taken")}
      />
      <NameList
        title="Configs of remote topics"
        names={names(changes.configs?.map(configText) ?? null)}
        total={countOf(changes, "configs")}
      />
      <NameList
        title="ACLs on the target"
        names={names(changes.acls?.map(aclText) ?? null)}
        total={countOf(changes, "acls")}
      />
    </>
  );
}
