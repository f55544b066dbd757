import { IconChevronRight } from "@tabler/icons-react";
import { useId, useState } from "react";
import type { FlowAddress } from "@/api/queries";
import type { Group } from "@/api/types";
import { Figure, Unknown } from "@/components/Figure";
import { NameText } from "@/components/NameText";
import { StateBadge } from "@/components/StateBadge";
import { GROUP_COLUMNS } from "@/features/groups/columns";
import { GroupDetails } from "@/features/groups/GroupDetails";
import { capitalized, onTarget, READINESS_HINTS, READINESS_TONES } from "@/features/groups/words";
import { bytes, joined, milliseconds, plural, records } from "@/lib/format";
import { ago, isoTime } from "@/lib/time";
import { useNow } from "@/live/context";

interface GroupRowsProps {
  flow: FlowAddress;
  group: Group;
  mayAct: boolean;
}

/** A group, and below it what the press of its name opens: causes, partitions, sync. */
export function GroupRows({ flow, group, mayAct }: GroupRowsProps) {
  const [isOpen, setOpen] = useState(false);
  const detailsId = useId();
  const first = group.causes.find((cause) => cause.readiness !== "ready");
  return (
    <>
      <tr>
        <th scope="row" className="topic-cell group-name">
          <button
            type="button"
            className="expander"
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailsId : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            <IconChevronRight size={16} aria-hidden />
            <span>
              <NameText name={group.group} />
            </span>
          </button>
        </th>
        <td>{capitalized(group.type)}</td>
        <td>
          {capitalized(group.state)}
          {group.members !== null && group.members > 0 && (
            <span className="reason group-note">{plural(group.members, "member")}</span>
          )}
        </td>
        <td title={causesOf(group)}>
          <StateBadge tone={READINESS_TONES[group.readiness]} word={capitalized(group.readiness)} />
          {first !== undefined && <span className="reason">{first.text}</span>}
        </td>
        <td className="numeric">
          <Figure value={group.lag} as={records} />
        </td>
        <td className="numeric">
          <Rereads group={group} />
        </td>
        <td className="numeric">
          <CheckpointAge time_ms={group.checkpoint_ms} />
        </td>
        <td>
          <OnTarget group={group} />
        </td>
      </tr>
      {isOpen && (
        <tr className="details-row" id={detailsId}>
          <td colSpan={GROUP_COLUMNS.length}>
            <GroupDetails flow={flow} group={group} mayAct={mayAct} />
          </td>
        </tr>
      )}
    </>
  );
}

/** All causes with their remedies: the title of the badge. */
function causesOf({ causes, readiness }: Group): string {
  if (causes.length === 0) return capitalized(READINESS_HINTS[readiness]);
  return causes.map((cause) => `${cause.text} Remedy: ${cause.remedy}`).join("\n");
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
