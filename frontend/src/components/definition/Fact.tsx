import type { ReactNode } from "react";
import { Definition } from "@/components/definition/Definition";
import { type Term, TermNote } from "@/components/definition/TermNote";
import type { AnyMetric } from "@/lib/units";

interface FactProps {
  name: string;
  /** the time or the statistic of the value, if the page shows a range in the past */
  when?: string | undefined;
  /** the metric or the term that a question mark defines */
  metric?: AnyMetric;
  term?: Term;
  children: ReactNode;
}

/** A named value at the head of a flow or a topic. */
export function Fact({ name, when, metric, term, children }: FactProps) {
  return (
    <div className="fact">
      <dt>
        {name}
        {when !== undefined && `, ${when}`}
        {metric !== undefined && <Definition metric={metric} name={name} />}
        {term !== undefined && <TermNote term={term} name={name} />}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
