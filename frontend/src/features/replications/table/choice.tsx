/** The flows that a person has chosen in the table, for one action on all of them. */
import { useCallback, useState } from "react";

export interface Choice {
  /** keys of flows */
  chosen: ReadonlySet<string>;
  choose: (flowKey: string, isChosen: boolean) => void;
  chooseAll: (flowKeys: readonly string[]) => void;
  clear: () => void;
}

export function useChoice(): Choice {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback((flowKey: string, isChosen: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      if (isChosen) next.add(flowKey);
      else next.delete(flowKey);
      return next;
    });
  }, []);
  const chooseAll = useCallback((flowKeys: readonly string[]) => setChosen(new Set(flowKeys)), []);
  const clear = useCallback(() => setChosen(new Set()), []);
  return { chosen, choose, chooseAll, clear };
}

/** Chooses every flow that matches the filter, or none. */
export function ChooseAll({ keys, choice }: { keys: readonly string[]; choice: Choice }) {
  const { chosen, chooseAll, clear } = choice;
  const count = keys.filter((key) => chosen.has(key)).length;
  const isAll = count === keys.length;
  return (
    <td className="choose">
      <input
        type="checkbox"
        aria-label="Choose all flows of the filter"
        checked={isAll}
        ref={(box) => {
          if (box !== null) box.indeterminate = count > 0 && !isAll;
        }}
        onChange={() => (isAll ? clear() : chooseAll(keys))}
      />
    </td>
  );
}
