import { useQuery } from "@tanstack/react-query";
import { Suspense, useMemo } from "react";
import { ApiProblem } from "@/api/problem";
import { errorsOf } from "@/components/preview/refusal";
import { type PreviewOf, useGroupPreview, useTopicPreview } from "@/components/preview/usePreview";
import {
  type EditedList,
  patternsInForce,
  patternsWith,
} from "@/features/configuration/properties/patterns/flow-patterns";
import { ValueField, type ValueFieldProps } from "@/features/configuration/properties/ValueField";
import { flowValuesQuery, keysQuery } from "@/features/configuration/requests";
import { useOpenDraft } from "@/features/configuration/useDraft";
import { lazyPart } from "@/lib/view/lazy-part";

const PatternPreview = lazyPart(() => import("@/features/configuration/properties/patterns/PatternPreview"));
const NONE: readonly never[] = [];

/** A list of patterns of a flow, with the topics or groups that it selects while it is typed. */
export function PatternField({ list, ...props }: ValueFieldProps & { list: EditedList }) {
  const { flow, field } = list;
  const { source, target } = flow;
  const { value } = props;
  const stored = useQuery(flowValuesQuery(flow));
  const { data: keys = NONE } = useQuery(keysQuery);
  const changes = useOpenDraft()?.draft?.changes ?? NONE;
  const values = stored.data ?? NONE;
  const inForce = useMemo(() => patternsInForce({ source, target }, values), [source, target, values]);
  const typed = useMemo(
    () => ({ ...patternsWith(changes, { source, target }, values, keys), [field]: value }),
    [changes, source, target, values, keys, field, value],
  );
  const isOfGroups = field === "groupsAllow" || field === "groupsDeny";
  const isRead = stored.data !== undefined;
  const topics = useTopicPreview(typed, isRead && !isOfGroups);
  const groups = useGroupPreview(typed, isRead && isOfGroups);
  const error = errorsOf((isOfGroups ? groups : topics).refusals)[field];
  const isUnknown = stored.error instanceof ApiProblem && stored.error.status === 404;
  const beside = { field, inForce };
  return (
    <>
      <ValueField {...props} error={error ?? props.error} />
      {!isUnknown && (
        <Suspense>
          {isOfGroups ? (
            <PatternPreview {...beside} groups={after(stored, groups)} />
          ) : (
            <PatternPreview {...beside} topics={after(stored, topics)} />
          )}
        </Suspense>
      )}
    </>
  );
}

interface Stored {
  data: unknown;
  error: Error | null;
  refetch: () => unknown;
}

/** The preview as it is until the other patterns of the flow are read. */
function after<Found>({ data, error, refetch }: Stored, preview: PreviewOf<Found>): PreviewOf<Found> {
  if (data !== undefined) return preview;
  return {
    ...preview,
    isAsked: true,
    isWaiting: true,
    answer: { data: undefined, error, refetch },
    refusals: [],
  };
}
