import { Textarea } from "@mantine/core";
import type { GroupPreview as Preview } from "@/api/types";
import { FormSection } from "@/components/form/FormSection";
import { GroupPreview } from "@/components/preview/GroupPreview";
import type { PreviewOf } from "@/components/preview/usePreview";
import type { StepProps } from "@/features/new-flow/ClustersStep";
import { fieldsOf } from "@/features/new-flow/flow-form";

export function GroupsStep({ form, change, errors, preview }: StepProps & { preview: PreviewOf<Preview> }) {
  return (
    <>
      <FormSection text="The offsets of allowed groups are translated and written to the target, so that their consumers can continue there. Without a pattern, no group is translated.">
        <Textarea
          label="Groups"
          description="Names or patterns, one per line; .* selects all groups"
          rows={4}
          spellCheck={false}
          value={form.groupsAllow}
          error={errors.groupsAllow}
          onChange={(event) => change({ groupsAllow: event.currentTarget.value })}
        />
        <Textarea
          label="Denied groups"
          description="One per line; they override the groups to translate"
          rows={4}
          spellCheck={false}
          value={form.groupsDeny}
          error={errors.groupsDeny}
          onChange={(event) => change({ groupsDeny: event.currentTarget.value })}
        />
      </FormSection>
      <GroupPreview fields={fieldsOf(2)} preview={preview} />
    </>
  );
}
