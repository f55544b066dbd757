import type { ReactNode } from "react";
import type { TopicPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import {
  Ended,
  FirstShown,
  NearMisses,
  NotSelected,
  PreviewCard,
  PreviewSummary,
} from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, type Selection, topicsIn } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import { stackedLabels } from "@/components/table/stacked";
import { plural } from "@/lib/format";

interface TopicPreviewProps {
  /** the fields beside the preview */
  fields: readonly string[];
  preview: PreviewOf<Preview>;
  /** the topics that the patterns in force select; null: not known, absent: the flow is new */
  inForce?: Selection | null;
}

export function TopicPreview({ fields, preview, inForce }: TopicPreviewProps) {
  return (
    <PreviewCard objects="topics" fields={fields} preview={preview}>
      {(found) => <Found preview={found} inForce={inForce} />}
    </PreviewCard>
  );
}

interface FoundProps {
  preview: Preview;
  inForce: Selection | null | undefined;
}

function Found({ preview, inForce }: FoundProps) {
  const { counts } = preview;
  const difference = differenceOf(topicsIn(preview), inForce ?? null);
  const matches = counts.matches ?? preview.matches.length;
  const heartbeats = counts.heartbeat_topics ?? 0;
  return (
    <>
      <PreviewSummary
        selected={matches - heartbeats}
        words={`${plural(matches, "topic")} selected${heartbeats > 0 ? ", heartbeats among them" : ""}`}
        unmatched={preview.unmatched_patterns}
        difference={difference}
      />
      {preview.matches.length > 0 && <Matches preview={preview} stateOf={statesBy(inForce, difference)} />}
      <FirstShown shown={preview.matches.length} all={matches} />
      <Ended difference={difference} />
      <NearMisses misses={preview.near_misses} count={counts.near_misses} />
      <NotSelected
        title="Denied"
        count={counts.denied}
        rows={preview.denied.map(({ topic, reason }) => ({ name: topic, text: reason }))}
      />
    </>
  );
}

type Match = Preview["matches"][number];

/** The state of a topic that no flow copies to the target yet. */
function statesBy(inForce: Selection | null | undefined, difference: Difference | null) {
  return ({ topic }: Match) => {
    if (inForce === undefined) return <span className="muted">new</span>;
    if (difference === null) return <span className="muted">not replicated</span>;
    return difference.added.has(topic) ? (
      <StateBadge tone="ok" word="New" />
    ) : (
      <span className="muted">selected already</span>
    );
  };
}

function Matches({ preview, stateOf }: { preview: Preview; stateOf: (match: Match) => ReactNode }) {
  return (
    <section
      className="table-scroll preview-table"
      aria-label="Selected topics"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={stackedLabels([`On ${preview.source}`, `On ${preview.target}`, "Partitions", "State"])}
    >
      <table className="table stacked">
        <thead>
          <tr>
            <th scope="col">Topic on {preview.source}</th>
            <th scope="col">Name on {preview.target}</th>
            <th scope="col" className="numeric">
              Partitions
            </th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {preview.matches.map((match) => (
            <tr key={match.topic}>
              <th scope="row" className="topic-cell">
                <NameText name={match.topic} />
                {match.is_heartbeats && <span className="reason">Copied without any pattern</span>}
              </th>
              <td className="topic-cell">
                <NameText name={match.remote} />
              </td>
              <td className="numeric">{match.partitions}</td>
              <td>
                {match.copied_by.length > 0 ? (
                  <StateBadge tone="warn" word={`Already copied by ${match.copied_by.join(", ")}`} />
                ) : match.is_replicated ? (
                  <StateBadge tone="idle" word="Replicated already" />
                ) : (
                  stateOf(match)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
