/** Previews that follow what is typed. */
import { useDebouncedValue } from "@mantine/hooks";
import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import type { GroupPreview, TopicPreview } from "@/api/types";
import { linesOf } from "@/components/form/lines";
import {
  GROUP_FIELDS,
  PATTERN_KEYS,
  type PatternField,
  type Patterns,
  TOPIC_FIELDS,
} from "@/components/preview/patterns";
import { type FieldNames, type Refusal, refusalsOf } from "@/components/preview/refusal";
import { groupPreviewQuery, type Policy, topicPreviewQuery } from "@/components/preview/requests";

/** Waits until a pattern is typed. */
const TYPING_MS = 350;

/** A preview that follows what is typed. */
export interface PreviewOf<Found, Field extends string = string> {
  source: string;
  /** false: no pattern is typed, or the naming is not valid */
  isAsked: boolean;
  isWaiting: boolean;
  answer: { data: Found | undefined; error: Error | null; refetch: () => unknown };
  /** why the service refuses what is typed */
  refusals: readonly Refusal<Field>[];
}

/** The naming of remote topics that is typed with the patterns. */
export interface Naming<Form, Field extends string> {
  policyOf: (form: Form) => Policy;
  refusalsOf: (form: Form) => readonly Refusal<Field>[];
  fields: FieldNames<Field>;
  keys: FieldNames<Field>;
}

/** The topics that the patterns select on the source now; without a naming with that of the flow. */
export function useTopicPreview<Form extends Patterns, Field extends string = PatternField>(
  form: Form,
  isShown: boolean,
  naming?: Naming<Form, Field>,
): PreviewOf<TopicPreview, PatternField | Field> {
  return usePreview(TOPICS, form, isShown, naming);
}

/** The groups of the source that the flow would translate. */
export function useGroupPreview<Form extends Patterns, Field extends string = PatternField>(
  form: Form,
  isShown: boolean,
  naming?: Naming<Form, Field>,
): PreviewOf<GroupPreview, PatternField | Field> {
  return usePreview(GROUPS, form, isShown, naming);
}

interface Kind<Found> {
  /** the list without which nothing is selected */
  allow: PatternField;
  /** the fields of the request */
  fields: FieldNames<PatternField>;
  useFound: (patterns: Patterns, policy: Policy | undefined, enabled: boolean) => UseQueryResult<Found>;
}

const TOPICS: Kind<TopicPreview> = {
  allow: "topicsAllow",
  fields: TOPIC_FIELDS,
  useFound: (patterns, policy, enabled) => useQuery({ ...topicPreviewQuery(patterns, { policy }), enabled }),
};
const GROUPS: Kind<GroupPreview> = {
  allow: "groupsAllow",
  fields: GROUP_FIELDS,
  useFound: (patterns, policy, enabled) => useQuery({ ...groupPreviewQuery(patterns, { policy }), enabled }),
};

function usePreview<Found, Form extends Patterns, Field extends string>(
  { allow, fields, useFound }: Kind<Found>,
  form: Form,
  isShown: boolean,
  naming: Naming<Form, Field> | undefined,
): PreviewOf<Found, PatternField | Field> {
  const [typed] = useDebouncedValue(form, TYPING_MS);
  const isAsked = linesOf(typed[allow]).length > 0;
  const ofNaming = naming?.refusalsOf(typed) ?? [];
  const isValid = isAsked && ofNaming.length === 0;
  const query = useFound(typed, naming?.policyOf(typed), isShown && isValid);
  return {
    source: typed.source,
    isAsked,
    isWaiting: query.isFetching || typed !== form,
    answer: query,
    refusals: isAsked && typed === form ? [...ofNaming, ...refused(query.error, fields, naming)] : [],
  };
}

function refused<Form, Field extends string>(
  error: Error | null,
  fields: FieldNames<PatternField>,
  naming: Naming<Form, Field> | undefined,
): readonly Refusal<PatternField | Field>[] {
  return refusalsOf<PatternField | Field>(
    error,
    { ...fields, ...naming?.fields },
    { ...PATTERN_KEYS, ...naming?.keys },
  );
}
