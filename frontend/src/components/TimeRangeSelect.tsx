import { ActionIcon, Select, Tooltip } from "@mantine/core";
import { IconClock, IconZoomReset } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Suspense, useMemo, useState } from "react";
import {
  DEFAULT_PRESET,
  PRESETS,
  type RangeSearch,
  rangeOfWord,
  rangeWord,
  resolveRange,
  type TimeRange,
} from "@/lib/range";
import { rangeText } from "@/lib/time";
import { lazyPart } from "@/lib/view/lazy-part";

const RangeForm = lazyPart(() => import("@/components/form/RangeForm"));
const CHOOSE = "choose";

/** Returns the time range of the URL; the same object until the URL changes. */
export function useTimeRange(): TimeRange {
  const { from, to }: RangeSearch = useSearch({ strict: false });
  return useMemo(() => resolveRange({ from, to }, Date.now()), [from, to]);
}

export function useSetTimeRange(): (range: RangeSearch) => void {
  const navigate = useNavigate();
  return ({ from, to, before }) => {
    void navigate({ to: ".", search: (search: object) => ({ ...search, from, to, before }) });
  };
}

/** Zooms into a range, further ones too, and back to the range before the first of them. */
export function useZoom(): { zoomIn: (range: RangeSearch) => void; zoomOut: () => void } {
  const { from, to, before }: RangeSearch = useSearch({ strict: false });
  const setRange = useSetTimeRange();
  return {
    zoomIn: (range) => setRange({ ...range, before: before ?? rangeWord({ from, to }) }),
    zoomOut: () => setRange(before === undefined ? {} : rangeOfWord(before)),
  };
}

/** The live range before a zoom; the usual one without a zoom, or after one of a past range. */
function liveRange({ before }: RangeSearch): RangeSearch {
  const range = before === undefined ? {} : rangeOfWord(before);
  return range.to === undefined ? range : {};
}

export function TimeRangeSelect() {
  const search: RangeSearch = useSearch({ strict: false });
  const range = useTimeRange();
  const setRange = useSetTimeRange();
  const [isChoosing, setChoosing] = useState(false);
  const data = PRESETS.map(({ value, label }) => ({ value, label }));
  if (range.preset !== null && !data.some(({ value }) => value === range.preset))
    data.push({ value: range.preset, label: range.label });
  data.push({ value: CHOOSE, label: "From … to …" });
  if (range.preset === null)
    data.unshift({ value: "selected", label: rangeText(range.from_ms ?? 0, range.to_ms ?? 0, Date.now()) });
  return (
    <div className="range">
      {range.preset === null && (
        <Tooltip label="Back to live">
          <ActionIcon
            variant="subtle"
            color="gray"
            size={32}
            aria-label="Back to live"
            onClick={() => setRange(liveRange(search))}
          >
            <IconZoomReset size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <Select
        className="range-select"
        aria-label="Time range"
        leftSection={<IconClock size={16} aria-hidden />}
        data={data}
        value={range.preset ?? "selected"}
        allowDeselect={false}
        maxDropdownHeight={480}
        onChange={(value) => {
          setChoosing(value === CHOOSE);
          if (value !== null && value !== "selected" && value !== CHOOSE)
            setRange(value === DEFAULT_PRESET ? {} : { from: value });
        }}
      />
      {isChoosing && (
        <Suspense fallback={null}>
          <RangeForm range={range} onRange={setRange} onClose={() => setChoosing(false)} />
        </Suspense>
      )}
    </div>
  );
}
