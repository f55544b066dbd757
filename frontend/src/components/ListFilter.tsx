import { Button, TextInput } from "@mantine/core";
import { IconFilterOff, IconSearch } from "@tabler/icons-react";
import { EmptyState } from "@/components/states";

interface ListFilterProps {
  label: string;
  value: string;
  /** gets undefined for an empty text */
  onChange: (text: string | undefined) => void;
}

/** A text that the rows of a list must contain. */
export function ListFilter({ label, value, onChange }: ListFilterProps) {
  return (
    <TextInput
      size="xs"
      className="filter"
      aria-label={label}
      placeholder={label}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
    />
  );
}

interface NoMatchProps {
  title: string;
  onClear: () => void;
}

/** A list in which no row matches the filters. */
export function NoMatch({ title, onClear }: NoMatchProps) {
  const button = (
    <Button size="xs" variant="default" onClick={onClear}>
      Clear the filter
    </Button>
  );
  return <EmptyState icon={IconFilterOff} title={title} action={button} />;
}
