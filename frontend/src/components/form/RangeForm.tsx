import { Button } from "@mantine/core";
import { useId, useState } from "react";
import type { RangeSearch, TimeRange } from "@/lib/range";
import { fieldTime, timeOfField, zoneName } from "@/lib/time";

interface RangeFormProps {
  range: TimeRange;
  onRange: (range: RangeSearch) => void;
  onClose: () => void;
}

/** Chooses a range by its two ends, in the zone of the page. */
export default function RangeForm({ range, onRange, onClose }: RangeFormProps) {
  const [end_ms] = useState(() => range.to_ms ?? Date.now());
  const [from, setFrom] = useState(() => fieldTime(range.from_ms ?? end_ms - range.length_ms));
  const [to, setTo] = useState(() => fieldTime(end_ms));
  const problemId = useId();
  const [from_ms, to_ms] = [timeOfField(from), timeOfField(to)];
  const isValid = from_ms !== null && to_ms !== null && from_ms < to_ms;
  return (
    <form
      aria-label="Time range"
      className="range-form"
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isValid) return;
        onRange({ from: from_ms, to: to_ms });
        onClose();
      }}
    >
      <TimeField label="From" value={from} onChange={setFrom} problemId={problemId} />
      <TimeField label="To" value={to} onChange={setTo} problemId={problemId} />
      <p id={problemId}>
        {isValid ? `Times are in ${zoneName(end_ms)}` : "The range must end after it starts"}
      </p>
      <div className="range-buttons">
        <Button size="xs" type="submit" disabled={!isValid}>
          Show the range
        </Button>
        <Button size="xs" variant="default" onClick={onClose}>
          Cancel
        </Button>
      </div>
    </form>
  );
}

interface TimeFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  problemId: string;
}

function TimeField({ label, value, onChange, problemId }: TimeFieldProps) {
  return (
    <label className="range-field">
      {label}
      <input
        type="datetime-local"
        // biome-ignore lint/a11y/noAutofocus: the form opens on a choice, and its first field is the next step
        autoFocus={label === "From"}
        value={value}
        aria-describedby={problemId}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    </label>
  );
}
