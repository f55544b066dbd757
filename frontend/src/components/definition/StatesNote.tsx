import { HelpNote } from "@/components/definition/HelpNote";
import { wordOf } from "@/lib/words";

interface StatesNoteProps {
  /** `flow`, `partition` or `task` */
  of: "flow" | "partition" | "task";
  /** only this state; absent: all of them */
  state?: string;
}

/** A question mark that shows what a state means, or all states of a table. */
export function StatesNote({ of, state }: StatesNoteProps) {
  const read = async () => {
    const meanings = await import("@/components/definition/meanings");
    const all = {
      flow: meanings.FLOW_MEANINGS,
      partition: meanings.PARTITION_MEANINGS,
      task: meanings.TASK_MEANINGS,
    }[of];
    const shown = Object.entries(all).filter(([word]) => state === undefined || word === state);
    return <MeaningList meanings={shown.map(([word, meaning]) => [wordOf(word), meaning])} />;
  };
  const name = state === undefined ? `the states of a ${of}` : wordOf(state);
  return <HelpNote name={name} read={read} width={state === undefined ? 320 : 260} />;
}

/** Names with their meaning. */
export function MeaningList({ meanings }: { meanings: readonly (readonly [string, string])[] }) {
  return (
    <dl className="meanings">
      {meanings.map(([name, meaning]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{meaning}.</dd>
        </div>
      ))}
    </dl>
  );
}
