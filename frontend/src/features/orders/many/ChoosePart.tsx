import "@/features/orders/many/many.css";
import { AllBox, type Choice } from "@/features/orders/many/choice";
import { nameOf, partKey } from "@/features/orders/many/parts";
import type { Scope } from "@/features/orders/order";

/** The box of a row that chooses its topic or partition. */
export function ChoosePart({ scope, choice }: { scope: Scope; choice: Choice }) {
  const key = partKey(scope);
  return (
    <input
      type="checkbox"
      className="choose-part"
      aria-label={`Choose ${nameOf(scope)}`}
      checked={choice.chosen.has(key)}
      onChange={(event) => choice.choose(key, event.currentTarget.checked)}
    />
  );
}

/** Chooses all topics that are shown, or none. */
export function ChooseTopics({ topics, choice }: { topics: readonly string[]; choice: Choice }) {
  const keys = topics.map((topic) => partKey({ topic, partition: null }));
  return (
    <div className="choose-all">
      <AllBox keys={keys} choice={choice} className="choose-part" label="Choose all topics that are shown" />
      <span aria-hidden>All topics that are shown</span>
    </div>
  );
}
