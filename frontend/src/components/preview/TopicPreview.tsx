import type { TopicPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import { FoundNames, PreviewCard } from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, type Selection, topicsIn } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import { PlainTable } from "@/components/table/PlainTable";

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
      {(found) => (
        <FoundTopics
          found={found}
          difference={differenceOf(topicsIn(found), inForce ?? null)}
          isNewFlow={inForce === undefined}
        />
      )}
    </PreviewCard>
  );
}

interface FoundTopicsProps {
  found: Preview;
  difference: Difference | null;
  isNewFlow: boolean;
}

function FoundTopics({ found, difference, isNewFlow }: FoundTopicsProps) {
  const heartbeats = found.counts.heartbeat_topics ?? 0;
  return (
    <FoundNames
      one="topic"
      found={found}
      besides={heartbeats > 0 ? { count: heartbeats, words: "heartbeats among them" } : undefined}
      difference={difference}
      denied={found.denied.map(({ topic, reason }) => ({ name: topic, text: reason }))}
    >
      <PlainTable
        className="preview-table"
        label="Selected topics"
        headings={[
          { label: `Topic on ${found.source}`, short: `On ${found.source}` },
          { label: `Name on ${found.target}`, short: `On ${found.target}` },
          { label: "Partitions", className: "numeric" },
          "State",
        ]}
        isStacked
      >
        {found.matches.map((match) => (
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
              <MatchState match={match} difference={difference} isNewFlow={isNewFlow} />
            </td>
          </tr>
        ))}
      </PlainTable>
    </FoundNames>
  );
}

interface MatchStateProps extends Omit<FoundTopicsProps, "found"> {
  match: Preview["matches"][number];
}

function MatchState({ match, difference, isNewFlow }: MatchStateProps) {
  const { topic, copied_by, is_replicated } = match;
  if (copied_by.length > 0)
    return <StateBadge tone="warn" word={`Already copied by ${copied_by.join(", ")}`} />;
  if (is_replicated) return <StateBadge tone="idle" word="Replicated already" />;
  if (difference?.added.has(topic)) return <StateBadge tone="ok" word="New" />;
  if (isNewFlow) return <span className="muted">new</span>;
  return <span className="muted">{difference === null ? "not replicated" : "selected already"}</span>;
}
