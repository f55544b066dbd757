import { NativeSelect, Textarea, TextInput } from "@mantine/core";
import type { DescriptionErrors, DescriptionForm } from "@/components/description/description";

interface DescriptionFieldsProps {
  form: DescriptionForm;
  change: (change: Partial<DescriptionForm>) => void;
  errors: { [Field in keyof DescriptionErrors]: string | undefined };
}

const CRITICALITIES: readonly DescriptionForm["criticality"][] = ["low", "normal", "high", "critical"];

/** The owner, criticality, runbook and labels of a cluster or a flow. */
export function DescriptionFields({ form, change, errors }: DescriptionFieldsProps) {
  return (
    <>
      <TextInput
        label="Owner"
        description="A team or a person"
        maxLength={150}
        value={form.owner}
        error={errors.owner}
        onChange={(event) => change({ owner: event.currentTarget.value })}
      />
      <NativeSelect
        label="Criticality"
        description="Lists can be filtered by criticality"
        data={[...CRITICALITIES]}
        value={form.criticality}
        error={errors.criticality}
        onChange={(event) =>
          change({ criticality: event.currentTarget.value as DescriptionForm["criticality"] })
        }
      />
      <TextInput
        label="Runbook"
        description="http or https address of a page for operators"
        maxLength={500}
        value={form.runbook}
        error={errors.runbook}
        onChange={(event) => change({ runbook: event.currentTarget.value })}
      />
      <Textarea
        label="Labels"
        description="key=value, one per line"
        rows={2}
        value={form.labels}
        error={errors.labels}
        onChange={(event) => change({ labels: event.currentTarget.value })}
      />
    </>
  );
}
