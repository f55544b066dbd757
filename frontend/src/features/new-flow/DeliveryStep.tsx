import { NativeSelect, TextInput } from "@mantine/core";
import { FormSection } from "@/components/form/FormSection";
import type { StepProps } from "@/features/new-flow/ClustersStep";
import type { FlowForm } from "@/features/new-flow/flow-form";
import { fieldZone } from "@/lib/time";

const DELIVERIES = [
  { value: "at_least_once", label: "At least once" },
  { value: "exactly_once", label: "Exactly once" },
];
const STARTS = [
  { value: "earliest", label: "Start of the logs" },
  { value: "latest", label: "End of the logs" },
  { value: "time", label: "A time" },
];

export function DeliveryStep({ form, change, errors }: StepProps) {
  return (
    <FormSection text="Positions of an earlier run of the same flow override the start point. Everything here can be changed later.">
      <NativeSelect
        label="Delivery"
        description="Exactly once writes records and positions in one transaction"
        data={DELIVERIES}
        value={form.delivery}
        onChange={(event) => change({ delivery: event.currentTarget.value as FlowForm["delivery"] })}
      />
      <TextInput
        label="Tasks"
        description="The most slots that share the partitions; leave empty for the default"
        inputMode="numeric"
        value={form.tasks}
        error={errors.tasks}
        onChange={(event) => change({ tasks: event.currentTarget.value })}
      />
      <NativeSelect
        label="Start point"
        description="Of topics that this flow has not copied before"
        data={STARTS}
        value={form.start}
        onChange={(event) => change({ start: event.currentTarget.value as FlowForm["start"] })}
      />
      {form.start === "time" && (
        <TextInput
          label="Start time"
          description={fieldZone(form.startTime)}
          type="datetime-local"
          step={1}
          value={form.startTime}
          error={errors.startTime}
          onChange={(event) => change({ startTime: event.currentTarget.value })}
        />
      )}
      <TextInput
        label="Throttle in MB/s"
        description="The most that the flow reads; leave empty for no limit"
        inputMode="decimal"
        value={form.throttle}
        error={errors.throttle}
        onChange={(event) => change({ throttle: event.currentTarget.value })}
      />
    </FormSection>
  );
}
