/** The question of the translation tool: the place that is asked for, and the same by hand. Pure. */
import type { FlowAddress } from "@/api/queries";
import type { PlaceToTranslate } from "@/api/types";
import { type ByHand, commandOf, postOf } from "@/lib/by-hand";
import { wholeNumber } from "@/lib/words";

export type Direction = NonNullable<PlaceToTranslate["direction"]>;

/** What is typed and chosen. */
export interface Question {
  topic: string;
  partition: string;
  offset: string;
  direction: Direction;
}

/** The place to translate; null: it is not complete. */
export function placeOf({ topic, direction, ...typed }: Question): PlaceToTranslate | null {
  const [partition, offset] = [wholeNumber(typed.partition), wholeNumber(typed.offset)];
  if (topic.trim() === "" || partition === null || offset === null) return null;
  return { topic: topic.trim(), partition, offset, direction };
}

export function sameTranslation(flow: FlowAddress, place: PlaceToTranslate): ByHand {
  const { topic, partition, offset, direction } = place;
  const options = { topic, partition, offset, back: direction === "to_source" };
  return {
    command: commandOf(["offsets", "translate", `${flow.source}->${flow.target}`], options),
    request: postOf(flow, "translate", { items: [place] }),
  };
}
