import { Button } from "@mantine/core";
import { IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import type { FlowAddress } from "@/api/queries";
import type { Group, GroupCause } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import { GroupHistory } from "@/features/groups/GroupHistory";
import { PlacesTable } from "@/features/groups/PlacesTable";
import { SyncPanel } from "@/features/groups/SyncPanel";
import { capitalized, READINESS_HINTS, READINESS_TONES } from "@/features/groups/words";
import { plural } from "@/lib/format";

interface GroupDetailsProps {
  flow: FlowAddress;
  group: Group;
  mayAct: boolean;
}

/** Why a group is ready or not, its history, its partitions on both sides, and the button to sync its offsets. */
export function GroupDetails({ flow, group, mayAct }: GroupDetailsProps) {
  const [isSyncing, setSyncing] = useState(false);
  return (
    <section className="group-details" aria-label={`Details of the group ${group.group}`}>
      <div className="group-standings">
        <Standing title="Now" readiness={group.readiness} causes={group.causes} rereads={group.rereads} />
        {group.if_source_gone !== null && (
          <Standing title={`If ${flow.source} were gone now`} {...group.if_source_gone} />
        )}
      </div>
      {mayAct && !isSyncing && (
        <Button
          size="xs"
          variant="default"
          leftSection={<IconRefresh size={14} aria-hidden />}
          onClick={() => setSyncing(true)}
        >
          Sync now
        </Button>
      )}
      <GroupHistory flow={flow} group={group} />
      {isSyncing && <SyncPanel flow={flow} groups={[group.group]} onClose={() => setSyncing(false)} />}
      <PlacesTable flow={flow} group={group.group} />
    </section>
  );
}

interface StandingProps {
  title: string;
  readiness: Group["readiness"];
  causes: readonly GroupCause[];
  rereads: number | null;
}

function Standing({ title, readiness, causes, rereads }: StandingProps) {
  return (
    <div className="group-standing">
      <h3>
        {title} <StateBadge tone={READINESS_TONES[readiness]} word={capitalized(readiness)} />
      </h3>
      <p className="muted">
        {capitalized(READINESS_HINTS[readiness])}
        {rereads !== null && rereads > 0 && `: at most ${plural(rereads, "record")}`}.
      </p>
      {causes.length > 0 && (
        <ul className="causes">
          {causes.map((cause) => (
            <li key={[cause.code, cause.topic, cause.partition].join("/")}>
              <span className="cause-text">{cause.text}</span>
              <span className="cause-remedy">{cause.remedy}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
