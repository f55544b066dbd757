import { VisuallyHidden } from "@mantine/core";
import type { GroupCounts, GroupReadiness } from "@/api/types";
import { capitalized, READINESS, READINESS_HINTS, READINESS_TONES } from "@/features/groups/words";
import { exactNumber, formatCount } from "@/lib/format";

interface ReadinessFilterProps {
  counts: GroupCounts;
  chosen: GroupReadiness | undefined;
  onChoose: (readiness: GroupReadiness | undefined) => void;
}

/** The number of groups by readiness; a press shows only these, another one all. */
export function ReadinessFilter({ counts, chosen, onChoose }: ReadinessFilterProps) {
  return (
    <fieldset className="readiness-filter">
      <VisuallyHidden component="legend">Filter by readiness</VisuallyHidden>
      <FilterButton
        word="All"
        count={counts.total}
        isPressed={chosen === undefined}
        onPress={() => onChoose(undefined)}
      />
      {READINESS.map((readiness) => (
        <FilterButton
          key={readiness}
          word={capitalized(readiness)}
          count={counts[readiness]}
          tone={READINESS_TONES[readiness]}
          hint={capitalized(READINESS_HINTS[readiness])}
          isPressed={chosen === readiness}
          onPress={() => onChoose(chosen === readiness ? undefined : readiness)}
        />
      ))}
    </fieldset>
  );
}

interface FilterButtonProps {
  word: string;
  count: number;
  tone?: string;
  hint?: string;
  isPressed: boolean;
  onPress: () => void;
}

function FilterButton({ word, count, tone, hint, isPressed, onPress }: FilterButtonProps) {
  return (
    <button type="button" aria-pressed={isPressed} title={hint} onClick={onPress}>
      {tone !== undefined && <span className="readiness-mark" data-tone={tone} aria-hidden />}
      {word}{" "}
      <span className="readiness-count" title={exactNumber(count)}>
        {formatCount(count)}
      </span>
    </button>
  );
}
