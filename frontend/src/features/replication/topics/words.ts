/** The states that a topic of the source can have for a flow, in words. */
import type { TopicStateWord } from "@/api/types";
import type { Tone } from "@/lib/status";
import { wordOf } from "@/lib/words";

/** `held`: paused by an order; the other states come from the plan of the flow. */
export type ShownState = TopicStateWord | "held";

export const TOPIC_STATES: readonly ShownState[] = [
  "replicated",
  "available",
  "denied",
  "conflicting",
  "departed",
  "held",
];

export const STATE_TONES: Readonly<Record<ShownState, Tone>> = {
  replicated: "ok",
  available: "idle",
  denied: "idle",
  conflicting: "bad",
  departed: "warn",
  held: "warn",
};

/** As docs/contracts/questions.md defines them. */
export const STATE_HINTS: Readonly<Record<ShownState, string>> = {
  replicated: "The plan copies it",
  available: "The source has it; the flow does not select it, or adds it with the next planning run",
  denied: "A deny pattern matches it, it is internal, or it comes from the target",
  conflicting: "It cannot be copied: its remote name is taken or not legal, or a finding holds it back",
  departed: "The flow copied it before; its copy is kept",
  held: "An order has paused the topic or partitions of it",
};

export function isTopicState(word: string | undefined): word is ShownState {
  return TOPIC_STATES.some((state) => state === word);
}

export function topicStateWord(state: ShownState): string {
  return state === "held" ? "Paused" : wordOf(state);
}
