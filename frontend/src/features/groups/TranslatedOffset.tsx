import type { FlowAddress } from "@/api/queries";
import type { TranslatedPlace, Translations } from "@/api/types";
import { StateBadge } from "@/components/StateBadge";
import { KIND_TONES } from "@/features/groups/words";
import { exactNumber, plural } from "@/lib/format";
import { capitalized } from "@/lib/words";

/** The place on the other cluster, how safe it is, and how it was found. */
export function TranslatedOffset({ flow, answer }: { flow: FlowAddress; answer: Translations }) {
  return (
    <div role="status">
      {answer.unlooked.map((part) => (
        <p key={part.part} className="group-unlooked">
          Not known: {part.reason}
        </p>
      ))}
      {answer.items.map((place) => (
        <Place key={`${place.topic}-${place.partition}`} flow={flow} place={place} />
      ))}
    </div>
  );
}

function Place({ flow, place }: { flow: FlowAddress; place: TranslatedPlace }) {
  const { topic, remote, partition, given_offset, offset } = place;
  const names = place.direction === "to_target" ? [topic, remote ?? topic] : [remote ?? topic, topic];
  const [from, to] =
    place.direction === "to_target" ? [flow.source, flow.target] : [flow.target, flow.source];
  const given = given_offset === null ? "" : ` offset ${exactNumber(given_offset)}`;
  return (
    <div className="translated">
      <p>
        {names[0]}-{partition}
        {given} on {from} is
      </p>
      <p className="translated-offset">
        {offset === null
          ? `no safe place on ${to}`
          : `${names[1]}-${partition} offset ${exactNumber(offset)} on ${to}`}
        <StateBadge tone={KIND_TONES[place.kind]} word={capitalized(place.kind)} />
      </p>
      <p className="muted">{[...boundsOf(place), place.evidence].filter((text) => text !== "").join("; ")}</p>
    </div>
  );
}

function boundsOf({ kind, latest, rereads }: TranslatedPlace): string[] {
  return [
    ...(kind === "bounded" && latest !== null
      ? [`the exact place is at the latest ${exactNumber(latest)}`]
      : []),
    ...(rereads !== null && rereads > 0
      ? [`a group that continues there reads ${plural(rereads, "record")} again`]
      : []),
  ];
}
