import type { GroupCounts, GroupReadiness } from "@/api/types";
import { CountedFilter } from "@/components/table/CountedFilter";
import { READINESS, READINESS_HINTS, READINESS_TONES } from "@/features/groups/words";
import { capitalized } from "@/lib/words";

interface ReadinessFilterProps {
  counts: GroupCounts;
  chosen: GroupReadiness | undefined;
  onChoose: (readiness: GroupReadiness | undefined) => void;
}

/** The number of groups by readiness; a press shows only these, another one all. */
export function ReadinessFilter({ counts, chosen, onChoose }: ReadinessFilterProps) {
  const choices = READINESS.map((readiness) => ({
    id: readiness,
    word: capitalized(readiness),
    count: counts[readiness],
    tone: READINESS_TONES[readiness],
    hint: capitalized(READINESS_HINTS[readiness]),
  }));
  return (
    <CountedFilter<GroupReadiness | undefined>
      label="Filter by readiness"
      choices={[{ id: undefined, word: "All", count: counts.total }, ...choices]}
      chosen={chosen}
      onChoose={(readiness) => onChoose(readiness === chosen ? undefined : readiness)}
    />
  );
}
