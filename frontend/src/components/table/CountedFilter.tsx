import "@/components/table/counted-filter.css";
import type { ReactNode } from "react";
import { exactNumber, formatCount } from "@/lib/format";
import type { Tone } from "@/lib/status";

export interface CountedChoice<Id> {
  id: Id;
  word: string;
  /** undefined: not known yet */
  count: number | undefined;
  tone?: Tone;
  hint?: string;
}

interface CountedFilterProps<Id> {
  /** names the group of buttons */
  label: string;
  choices: readonly CountedChoice<Id>[];
  chosen: Id;
  onChoose: (id: Id) => void;
  after?: ReactNode;
}

/** How many rows there are of each kind; a press shows only these. */
export function CountedFilter<Id extends string | undefined>(props: CountedFilterProps<Id>) {
  const { label, choices, chosen, onChoose, after } = props;
  return (
    <fieldset className="counted-filter">
      <legend className="visually-hidden">{label}</legend>
      {choices.map(({ id, word, count, tone, hint }) => (
        <button
          key={id ?? ""}
          type="button"
          aria-pressed={chosen === id}
          title={hint}
          onClick={() => onChoose(id)}
        >
          {tone !== undefined && <span className="counted-mark" data-tone={tone} aria-hidden />}
          {word} {count !== undefined && <strong title={exactNumber(count)}>{formatCount(count)}</strong>}
        </button>
      ))}
      {after}
    </fieldset>
  );
}
