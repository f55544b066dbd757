/** The rows that a person has chosen in a table, for one action on all of them. */
import { useCallback, useState } from "react";

export interface Choice {
  /** keys of rows */
  chosen: ReadonlySet<string>;
  choose: (key: string, isChosen: boolean) => void;
  chooseAll: (keys: readonly string[]) => void;
  clear: () => void;
}

export function useChoice(): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback((key: string, isChosen: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      if (isChosen) next.add(key);
      else next.delete(key);
      return next;
    });
  }, []);
  const chooseAll = useCallback((keys: readonly string[]) => setChosen(new Set(keys)), []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { chosen, choose, chooseAll, clear };
}

/** The heading cell that chooses every flow that matches the filter, or none. */
export function ChooseAll({ keys, choice }: { keys: readonly string[]; choice: Choice }) {
  return (
    <td className="choose">
      <AllBox keys={keys} choice={choice} label="Choose all flows of the filter" />
    </td>
  );
}

interface AllBoxProps {
  keys: readonly string[];
  choice: Choice;
  /** names the box */
  label: string;
  className?: string;
}

/** Chooses all rows, or none. */
export function AllBox({ keys, choice, label, className }: AllBoxProps) {
  const { chosen, chooseAll, clear } = choice;
  const count = keys.filter((key) => chosen.has(key)).length;
  const isAll = count === keys.length;
  return (
    <input
      type="checkbox"
      className={className}
      aria-label={label}
      checked={isAll}
      ref={(box) => {
        if (box !== null) box.indeterminate = count > 0 && !isAll;
      }}
      onChange={() => (isAll ? clear() : chooseAll(keys))}
    />
  );
}
