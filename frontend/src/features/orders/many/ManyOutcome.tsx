import { StateBadge } from "@/components/StateBadge";
import type { OneResult } from "@/features/orders/many/many-order";
import { OrderSteps, ResetSteps } from "@/features/orders/progress/OrderSteps";
import { plural } from "@/lib/format";

const RESULTS = {
  done: { tone: "ok", word: "Done" },
  unchanged: { tone: "idle", word: "Unchanged" },
  refused: { tone: "bad", word: "Refused" },
} as const;

/** Each order is read every second: the progress of later ones is in the lists of orders. */
const MOST_FOLLOWED = 20;

const WOULD = { tone: "ok", word: "Would change" } as const;

interface ManyOutcomeProps {
  one: string;
  results: readonly OneResult[];
  isDryRun: boolean;
}

/** What became of each chosen thing. */
export function ManyOutcome({ one, results, isDryRun }: ManyOutcomeProps) {
  const countOf = (word: OneResult["result"]) => results.filter(({ result }) => result === word).length;
  return (
    <div className="many-outcome">
      <p role="status">
        {isDryRun ? "Would change" : "Changed"} {plural(countOf("done"), one)}, {countOf("unchanged")}{" "}
        unchanged, {countOf("refused")} refused.
        {isDryRun && " Nothing has changed yet."}
      </p>
      <ul>
        {results.map(({ name, result, text, order, resets }, place) => (
          <li key={name}>
            {name} <StateBadge {...(isDryRun && result === "done" ? WOULD : RESULTS[result])} />{" "}
            <span className="muted">{text}</span>
            {order !== undefined && place < MOST_FOLLOWED && <OrderSteps {...order} />}
            {resets !== undefined && <ResetSteps {...resets} />}
          </li>
        ))}
      </ul>
    </div>
  );
}
