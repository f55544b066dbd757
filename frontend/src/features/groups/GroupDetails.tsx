import { Button } from "@mantine/core";
import { IconArrowsExchange, IconRefresh } from "@tabler/icons-react";
import { useState } from "react";
import type { FlowAddress } from "@/api/queries";
import type { Group, GroupCause } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import { GroupHistory } from "@/features/groups/GroupHistory";
import { PlacesTable } from "@/features/groups/PlacesTable";
import { SyncPanel } from "@/features/groups/SyncPanel";
import { TranslatePanel } from "@/features/groups/TranslatePanel";
import { causeTexts, READINESS_HINTS, READINESS_TONES } from "@/features/groups/words";
import { plural } from "@/lib/format";
import { capitalized } from "@/lib/words";

interface GroupDetailsProps {
  flow: FlowAddress;
  group: Group;
  mayAct: boolean;
}

/** Why a group is ready or not, its history and partitions; its offsets are synced and translated from here. */
export function GroupDetails({ flow, group, mayAct }: GroupDetailsProps) {
  const [panel, setPanel] = useState<"sync" | "translate" | null>(null);
  const close = () => setPanel(null);
  return (
    <section className="group-details" aria-label={`Details of the group ${group.group}`}>
      <div className="group-standings">
        <Standing title="Now" readiness={group.readiness} causes={group.causes} rereads={group.rereads} />
        {group.if_source_gone !== null && (
          <Standing title={`If ${flow.source} were gone now`} {...group.if_source_gone} />
        )}
      </div>
      {panel === null && (
        <div className="group-buttons">
          {mayAct && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconRefresh size={14} aria-hidden />}
              onClick={() => setPanel("sync")}
            >
              Sync now
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            leftSection={<IconArrowsExchange size={14} aria-hidden />}
            onClick={() => setPanel("translate")}
          >
            Translate an offset
          </Button>
        </div>
      )}
      <GroupHistory flow={flow} group={group} />
      {panel === "sync" && <SyncPanel flow={flow} groups={[group.group]} onClose={close} />}
      {panel === "translate" && <TranslatePanel flow={flow} group={group.group} onClose={close} />}
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
  const texts = causeTexts(causes);
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
          {causes.map((cause, place) => (
            <li key={[cause.code, cause.topic, cause.partition].join("/")}>
              <span className="cause-text">{texts[place]}</span>
              <span className="cause-remedy">{cause.remedy}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
