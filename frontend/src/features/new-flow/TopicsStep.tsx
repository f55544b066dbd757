import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { TopicPreview as Preview } from "@/api/types";
import { FormSection } from "@/components/form/FormSection";
import { TopicPreview } from "@/components/preview/TopicPreview";
import type { PreviewOf } from "@/components/preview/usePreview";
import type { StepProps } from "@/features/new-flow/ClustersStep";
import { type FlowForm, fieldsOf } from "@/features/new-flow/flow-form";
import { namingErrors } from "@/features/new-flow/naming";

const POLICIES = [
  { value: "default", label: "Source alias, separator, topic" },
  { value: "identity", label: "Same name as on the source" },
  { value: "template", label: "By a template" },
];

export function TopicsStep({ form, change, errors, preview }: StepProps & { preview: PreviewOf<Preview> }) {
  const naming = namingErrors(form);
  return (
    <>
      <FormSection text="Names, or Java regular expressions that match the whole name. Denied topics are never copied. Matching topics that are created later are added automatically.">
        <Textarea
          label="Topics"
          description="One per line, such as orders.* or payments"
          required
          rows={4}
          spellCheck={false}
          value={form.topicsAllow}
          error={errors.topicsAllow}
          onChange={(event) => change({ topicsAllow: event.currentTarget.value })}
        />
        <Textarea
          label="Denied topics"
          description="One per line; they override the topics to copy"
          rows={4}
          spellCheck={false}
          value={form.topicsDeny}
          error={errors.topicsDeny}
          onChange={(event) => change({ topicsDeny: event.currentTarget.value })}
        />
      </FormSection>
      <FormSection
        title="Names on the target"
        text="If copies keep their names, two directions or two sources with the same topic end up in one copy."
      >
        <NativeSelect
          label="Naming"
          data={POLICIES}
          value={form.policy}
          error={errors.policy}
          onChange={(event) => change({ policy: event.currentTarget.value as FlowForm["policy"] })}
        />
        {form.policy === "default" && (
          <TextInput
            label="Separator"
            description={
              naming.separator === undefined
                ? `A topic orders becomes ${form.source}${form.separator}orders`
                : "Between the alias of the source and the topic"
            }
            value={form.separator}
            error={naming.separator ?? errors.separator}
            maxLength={20}
            onChange={(event) => change({ separator: event.currentTarget.value })}
          />
        )}
        {form.policy === "template" && (
          <TextInput
            label="Template"
            description="With {source} and {topic}"
            value={form.template}
            error={naming.template ?? errors.template}
            maxLength={200}
            onChange={(event) => change({ template: event.currentTarget.value })}
          />
        )}
      </FormSection>
      <TopicPreview fields={fieldsOf(1)} preview={preview} />
    </>
  );
}
