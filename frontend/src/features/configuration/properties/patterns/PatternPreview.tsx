import { useQuery } from "@tanstack/react-query";
import type { GroupPreview as FoundGroups, TopicPreview as FoundTopics } from "@/api/types";
import { linesOf } from "@/components/form/lines";
import { GroupPreview } from "@/components/preview/GroupPreview";
import type { PatternField, Patterns } from "@/components/preview/patterns";
import { groupPreviewQuery, MOST_LISTED, topicPreviewQuery } from "@/components/preview/requests";
import { groupsIn, type Selection, topicsIn } from "@/components/preview/selection";
import { TopicPreview } from "@/components/preview/TopicPreview";
import type { PreviewOf } from "@/components/preview/usePreview";

interface PatternPreviewProps {
  field: PatternField;
  inForce: Patterns;
  topics?: PreviewOf<FoundTopics>;
  groups?: PreviewOf<FoundGroups>;
}

/** What the edited patterns select, beside those in force. */
export default function PatternPreview({ field, inForce, topics, groups }: PatternPreviewProps) {
  const beside = { fields: [field], patterns: inForce };
  return (
    <div className="property-preview">
      {topics && <Topics {...beside} preview={topics} />}
      {groups && <Groups {...beside} preview={groups} />}
    </div>
  );
}

interface ListProps<Found> {
  fields: readonly string[];
  patterns: Patterns;
  preview: PreviewOf<Found>;
}

const NONE: Selection = { names: [], isWhole: true };

function Topics({ patterns, ...list }: ListProps<FoundTopics>) {
  const isAsked = linesOf(patterns.topicsAllow).length > 0;
  const { data } = useQuery({ ...topicPreviewQuery(patterns, { limit: MOST_LISTED }), enabled: isAsked });
  return <TopicPreview {...list} inForce={isAsked ? (data ? topicsIn(data) : null) : NONE} />;
}

function Groups({ patterns, ...list }: ListProps<FoundGroups>) {
  const isAsked = linesOf(patterns.groupsAllow).length > 0;
  const { data } = useQuery({ ...groupPreviewQuery(patterns, { limit: MOST_LISTED }), enabled: isAsked });
  return <GroupPreview {...list} inForce={isAsked ? (data ? groupsIn(data) : null) : NONE} />;
}
