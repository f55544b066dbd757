import type { DryRun } from "@/features/orders/order";
import { plural } from "@/lib/format";
import { taskName } from "@/lib/tasks";

const MOST_NAMES = 10;

/** The effect of an order as the service foresees it, and how much it covers. */
export function DryRunNote({ dryRun: { text, touches, names = {} } }: { dryRun: DryRun }) {
  return (
    <div className="order-dry-run" role="status">
      {text.map((line) => (
        <p key={line}>{line}</p>
      ))}
      {touches !== undefined && (
        <p className="muted">
          Covers {counted(touches.topics, "topic")}, {counted(touches.partitions, "partition")} and{" "}
          {counted(touches.slots, "slot")}. Nothing has changed yet.
        </p>
      )}
      {Object.entries(names).map(([what, listed]) =>
        listed.length === 0 ? null : (
          <p key={what} className="muted">
            {what === "topics" ? "Topics" : "Tasks"}: {shownNames(what, listed)}
            {listed.length > MOST_NAMES && ` and ${listed.length - MOST_NAMES} more`}
          </p>
        ),
      )}
    </div>
  );
}

function shownNames(what: string, names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES);
  return (what === "tasks" ? shown.map(taskName) : shown).join(", ");
}

function counted(count: number | null, one: string): string {
  return count === null ? `an unknown number of ${one}s` : plural(count, one);
}
