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

interface Uncopied {
  topics: readonly UncopiedTopic[];
  /** true: the answer of a flow is still to come */
  isWaiting: boolean;
  /** true: a flow did not answer */
  isFailed: boolean;
}

/** Topics with this text in their name that flows do not copy. Pinned flows are asked first, then recent ones. */
export function useUncopied(flows: readonly FlowRow[], own: OwnFlows, text: string): Uncopied {
  const [search] = useDebouncedValue(text, WAIT_MS);
  const able = flows.filter(isAble);
  const first = [...own.pinned, ...own.recent];
  const placeOf = ({ source, target }: FlowRow): number => {
    const place = first.indexOf(flowKey(source, target));
    return place < 0 ? first.length : place;
  };
  const isAsked = isName(text) && search === text;
  const asked = isAsked ? able.sort((a, b) => placeOf(a) - placeOf(b)) : [];
  const pages = useQueries({
    queries: asked.slice(0, MOST_ASKED).map((flow) => topicsFoundQuery(flow, search, MOST_FOUND)),
  });
  const topics = pages
    .flatMap(({ data }) =>
      data === undefined
        ? []
        : data.items
            .filter(({ state }) => state !== "replicated")
            .map(({ topic, state }) => ({ source: data.source, target: data.target, topic, state })),
    )
    .slice(0, MOST_FOUND);
  const isDue = isName(text) && search !== text && able.length > 0;
  return {
    topics,
    isWaiting: isDue || pages.some(({ isPending }) => isPending),
    isFailed: pages.some(({ isError }) => isError),
  };
}

/** True if the text can be a part of the name of a topic. */
const isName = (text: string) => text.length >= SHORTEST && !/\s/.test(text);

/** True if this service runs the flow: nothing lists the topics of other flows. */
const isAble = ({ service, status }: FlowRow) => service === null && status !== "disabled";
