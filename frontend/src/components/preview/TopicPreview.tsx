import type { TopicPreview as Preview } from "@/api/types";
import { NameText } from "@/components/NameText";
import { FoundNames, PreviewCard } from "@/components/preview/PreviewCard";
import { type Difference, differenceOf, type Selection, topicsIn } from "@/components/preview/selection";
import type { PreviewOf } from "@/components/preview/usePreview";
import { StateBadge } from "@/components/StateBadge";
import type { CellColumn } from "@/components/table/ColumnTable";
import { SmallTable } from "@/components/table/SmallTable";
import { useTableView } from "@/components/table/useTableView";
import type { Tone } from "@/lib/status";

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
  const view = useTableView("selected topics", columnsOf(found, difference, isNewFlow), "", "selected");
  const heartbeats = found.counts.heartbeat_topics ?? 0;
  return (
    <FoundNames
      one="topic"
      found={found}
      besides={heartbeats > 0 ? { count: heartbeats, words: "heartbeats among them" } : undefined}
      difference={difference}
      denied={found.denied.map(({ topic, reason }) => ({ name: topic, text: reason }))}
    >
      <SmallTable
        className="preview-table"
        label="Selected topics"
        view={view}
        rows={found.matches}
        rowId={({ topic }) => topic}
      />
    </FoundNames>
  );
}

type Match = Preview["matches"][number];

const columnsOf = (
  { source, target }: Preview,
  difference: Difference | null,
  isNewFlow: boolean,
): readonly CellColumn<Match>[] => [
  {
    id: "topic",
    label: `Topic on ${source}`,
    value: ({ topic }) => topic,
    cell: ({ topic, is_heartbeats }) => (
      <>
        <NameText name={topic} />
        {is_heartbeats && <span className="reason">Copied without any pattern</span>}
      </>
    ),
    cellClass: "topic-cell",
  },
  {
    id: "remote",
    label: `Name on ${target}`,
    value: ({ remote }) => remote,
    cell: ({ remote }) => <NameText name={remote} />,
    cellClass: "topic-cell",
  },
  {
    id: "partitions",
    label: "Partitions",
    value: ({ partitions }) => partitions,
    isNumber: true,
    cell: ({ partitions }) => partitions,
  },
  {
    id: "state",
    label: "State",
    value: (match) => stateOf(match, difference, isNewFlow).word,
    cell: (match) => {
      const { tone, word } = stateOf(match, difference, isNewFlow);
      return tone === null ? <span className="muted">{word}</span> : <StateBadge tone={tone} word={word} />;
    },
  },
];

/** What becomes of a topic; without a tone it is said quietly. Pure. */
function stateOf(
  { topic, copied_by, is_replicated }: Match,
  difference: Difference | null,
  isNewFlow: boolean,
): { tone: Tone | null; word: string } {
  if (copied_by.length > 0) return { tone: "warn", word: `Already copied by ${copied_by.join(", ")}` };
  if (is_replicated) return { tone: "idle", word: "Replicated already" };
  if (difference?.added.has(topic)) return { tone: "ok", word: "New" };
  if (isNewFlow) return { tone: null, word: "new" };
  return { tone: null, word: difference === null ? "not replicated" : "selected already" };
}
