import { NativeSelect, TextInput } from "@mantine/core";
import { fieldZone } from "@/lib/time";

const PLACES = [
  { value: "earliest", label: "Start of the log" },
  { value: "latest", label: "End of the log" },
  { value: "offset", label: "Offset" },
  { value: "time", label: "Time" },
];

/** The new position of a reset, as it is entered. */
export interface Position {
  kind: string;
  typed: string;
}

interface PositionFieldsProps {
  value: Position;
  onChange: (position: Position) => void;
}

export function PositionFields({ value: { kind, typed }, onChange }: PositionFieldsProps) {
  return (
    <>
      <NativeSelect
        size="xs"
        label="New position"
        description="The next record to copy"
        data={PLACES}
        value={kind}
        onChange={(event) => onChange({ kind: event.currentTarget.value, typed: "" })}
      />
      {(kind === "offset" || kind === "time") && (
        <TextInput
          key={kind}
          size="xs"
          label={kind === "offset" ? "Offset on the source" : "Time of the record"}
          description={kind === "offset" ? "Moved to the nearest time in the log" : fieldZone(typed)}
          type={kind === "time" ? "datetime-local" : "text"}
          value={typed}
          required
          onChange={(event) => onChange({ kind, typed: event.currentTarget.value })}
        />
      )}
    </>
  );
}
