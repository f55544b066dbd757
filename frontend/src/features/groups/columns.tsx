/** The columns of the groups' table; their ids are the orders of the service. */
import type { Group, GroupsOrdering } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { Expander } from "@/components/table/opened/Expander";
import type { OpenRows } from "@/components/table/opened/useOpenRows";
import { causeTexts, onTarget, READINESS_HINTS, READINESS_TONES, severity } from "@/features/groups/words";
import { bytes, joined, milliseconds, plural, records } from "@/lib/format";
import { ago, isoTime } from "@/lib/time";
import { capitalized } from "@/lib/words";
import { useNow } from "@/live/context";

/** `opened`: the groups whose details are open. */
export const groupColumns = (opened: OpenRows): readonly CellColumn<Group>[] => [
  {
    id: "group",
    label: "Group",
    value: ({ group }) => group,
    cell: ({ group }) => (
      <Expander
        isOpen={opened.isOpen(group)}
        onToggle={() => opened.toggle(group)}
        controls={opened.detailsId(group)}
      >
        <span>
          <NameText name={group} />
        </span>
      </Expander>
    ),
    cellClass: "topic-cell group-name",
  },
  { id: "type", label: "Type", value: ({ type }) => type, cell: ({ type }) => capitalized(type) },
  {
    id: "state",
    label: "State",
    hint: "On the source cluster",
    value: ({ state }) => state,
    cell: ({ state, members }) => (
      <>
        {capitalized(state)}
        {members !== null && members > 0 && (
          <span className="reason group-note">{plural(members, "member")}</span>
        )}
      </>
    ),
  },
  {
    id: "readiness",
    label: "Readiness",
    hint: "Whether the group can continue on the target now",
    value: ({ readiness }) => severity(readiness),
    cell: (group) => <Readiness group={group} />,
  },
  {
    id: "lag",
    label: "Lag",
    hint: "Records of the source that the group has not read",
    value: ({ lag }) => lag,
    isNumber: true,
    cell: ({ lag }) => <Figure value={lag} as={records} />,
  },
  {
    id: "rereads",
    label: "Would re-read",
    hint: "Records that the group would read again on the target, at most",
    value: ({ rereads }) => rereads,
    isNumber: true,
    cell: (group) => <Rereads group={group} />,
  },
  {
    id: "checkpoint_ms",
    label: "Checkpoint",
    hint: "Time of the newest checkpoint on the target",
    value: ({ checkpoint_ms }) => checkpoint_ms,
    isNumber: true,
    cell: ({ checkpoint_ms }) => <CheckpointAge time_ms={checkpoint_ms} />,
  },
  {
    id: "target_state",
    label: "On the target",
    hint: "Its state on the target cluster, and whether its offsets are written there",
    value: ({ target_state }) => target_state,
    cell: (group) => <OnTarget group={group} />,
  },
];

export const DEFAULT_ORDER: GroupsOrdering = "-readiness";

/** The service orders groups by each column. */
export const GROUP_ORDERS = [
  "group",
  "type",
  "state",
  "readiness",
  "lag",
  "rereads",
  "checkpoint_ms",
  "target_state",
] as const satisfies readonly GroupsOrdering[];
const ORDERS: readonly string[] = GROUP_ORDERS.flatMap((id) => [id, `-${id}`]);

export function orderOf(text: string): GroupsOrdering {
  return ORDERS.includes(text) ? (text as GroupsOrdering) : DEFAULT_ORDER;
}

function Readiness({ group }: { group: Group }) {
  const first = group.causes.find(({ readiness }) => readiness !== "ready");
  return (
    <span title={causesOf(group)}>
      <StateBadge tone={READINESS_TONES[group.readiness]} word={capitalized(group.readiness)} />
      {first !== undefined && <span className="reason">{causeTexts([first])}</span>}
    </span>
  );
}

/** All causes with their remedies: the title of the badge. */
function causesOf({ causes, readiness }: Group): string {
  if (causes.length === 0) return capitalized(READINESS_HINTS[readiness]);
  const texts = causeTexts(causes);
  return causes.map(({ remedy }, place) => `${texts[place]} Remedy: ${remedy}`).join("\n");
}

function Rereads({ group }: { group: Group }) {
  const { rereads, reread_bytes, reread_ms } = group;
  const costs = [
    reread_bytes === null ? null : joined(bytes(reread_bytes)),
    reread_ms === null ? null : joined(milliseconds(reread_ms)),
  ].filter((cost) => cost !== null);
  return (
    <>
      <Figure value={rereads} as={records} />
      {rereads !== null && rereads > 0 && costs.length > 0 && (
        <span
          className="reason group-note"
          title="Based on the average size of the copies and the group's fastest rate"
        >
          about {costs.join(", ")}
        </span>
      )}
    </>
  );
}

function CheckpointAge({ time_ms }: { time_ms: number | null }) {
  const now_ms = useNow();
  if (time_ms === null) return <Unknown why="no checkpoint written yet" />;
  return (
    <time dateTime={isoTime(time_ms)} title={isoTime(time_ms)}>
      {ago(now_ms - time_ms)}
    </time>
  );
}

function OnTarget({ group }: { group: Group }) {
  const { state, sync } = onTarget(group);
  return (
    <>
      {state === null ? <Unknown why="the target has not been asked yet" /> : capitalized(state)}
      {sync !== null && <span className="reason group-note">{sync}</span>}
    </>
  );
}
