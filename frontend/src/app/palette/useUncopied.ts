import { useDebouncedValue } from "@mantine/hooks";
import { useQueries } from "@tanstack/react-query";
import { topicsFoundQuery } from "@/api/topic";
import type { OwnFlows, UncopiedTopic } from "@/app/palette/places";
import { type FlowRow, flowKey } from "@/live/flow-row";

/** The control worker of each flow lists the topics of its source, so only a few flows are asked. */
const MOST_ASKED = 6;
const MOST_FOUND = 8;
const SHORTEST = 3;
const WAIT_MS = 400;

/** Topics with this text in their name that flows do not copy. Pinned flows are asked first, then recent ones. */
export function useUncopied(
  flows: readonly FlowRow[],
  own: OwnFlows,
  text: string,
): readonly UncopiedTopic[] {
  const [search] = useDebouncedValue(text, WAIT_MS);
  const isName = search.length >= SHORTEST && !/\s/.test(search);
  const first = [...own.pinned, ...own.recent];
  const placeOf = ({ source, target }: FlowRow): number => {
    const place = first.indexOf(flowKey(source, target));
    return place < 0 ? first.length : place;
  };
  const asked = isName && search === text ? [...flows].sort((a, b) => placeOf(a) - placeOf(b)) : [];
  const pages = useQueries({
    queries: asked.slice(0, MOST_ASKED).map((flow) => topicsFoundQuery(flow, search, MOST_FOUND)),
  });
  return pages
    .flatMap(({ data }) =>
      data === undefined
        ? []
        : data.items
            .filter(({ state }) => state !== "replicated")
            .map(({ topic, state }) => ({ source: data.source, target: data.target, topic, state })),
    )
    .slice(0, MOST_FOUND);
}
