import "@/features/replication/topics/topics.css";
import { useInfiniteQuery } from "@tanstack/react-query";
import { holdsQuery } from "@/api/control";
import type { FlowAddress } from "@/api/queries";
import { topicStatesQuery } from "@/api/topic";
import { HelpNote } from "@/components/definition/HelpNote";
import { MeaningList } from "@/components/definition/StatesNote";
import { CountedFilter } from "@/components/table/CountedFilter";
import {
  type ShownState,
  STATE_HINTS,
  STATE_TONES,
  TOPIC_STATES,
  topicStateWord,
} from "@/features/replication/topics/words";

interface StateFilterProps {
  flow: FlowAddress;
  chosen: ShownState | undefined;
  onChoose: (state: ShownState | undefined) => void;
}

/** The number of topics of the source in each state; a press lists these, another one the copied topics. */
export function StateFilter({ flow, chosen, onChoose }: StateFilterProps) {
  const states = useInfiniteQuery({ ...topicStatesQuery(flow, null, ""), retry: false });
  const holds = useInfiniteQuery(holdsQuery(flow));
  const counts = states.data?.pages[0]?.counts;
  const held = holds.data?.pages[0]?.topics;
  const countOf = (state: ShownState) => (state === "held" ? held : counts && (counts[state] ?? 0));
  const choices = TOPIC_STATES.map((state) => ({
    id: state,
    word: topicStateWord(state),
    count: countOf(state),
    tone: STATE_TONES[state],
    hint: STATE_HINTS[state],
  }));
  return (
    <CountedFilter<ShownState | undefined>
      label="Topics by state"
      choices={choices}
      chosen={chosen}
      onChoose={(state) => onChoose(state === chosen ? undefined : state)}
      after={<TopicStatesNote />}
    />
  );
}

/** A question mark that shows what the states of a topic mean. */
export function TopicStatesNote() {
  return <HelpNote name="the states of topics" read={readHints} />;
}

const readHints = async () => (
  <MeaningList meanings={TOPIC_STATES.map((state) => [topicStateWord(state), STATE_HINTS[state]])} />
);
