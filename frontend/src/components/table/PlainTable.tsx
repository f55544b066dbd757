import type { ReactNode } from "react";
import { stackedLabels } from "@/components/table/stacked";
import { classesOf } from "@/lib/classes";

export interface Heading {
  label: string;
  /** the word before the cells of a stacked row; absent: the label */
  short?: string;
  className?: string | undefined;
  /** true: only screen readers read it */
  isHidden?: boolean;
}

interface PlainTableProps {
  /** names the region that scrolls */
  label: string;
  headings: readonly (Heading | string)[];
  /** true: rows become small lists on a phone */
  isStacked?: boolean;
  className?: string;
  tableClass?: string;
  /** the rows */
  children: ReactNode;
}

/** A table whose rows have one order. */
export function PlainTable(props: PlainTableProps) {
  const { label, isStacked = false, className, tableClass, children } = props;
  const headings = props.headings.map((heading) =>
    typeof heading === "string" ? { label: heading } : heading,
  );
  return (
    <section
      className={classesOf("table-scroll", className)}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
      style={isStacked ? stackedLabels(headings.map(({ short, label }) => short ?? label)) : undefined}
    >
      <table className={classesOf("table", tableClass, isStacked && "stacked")}>
        <thead>
          <tr>
            {headings.map((heading) => (
              <HeadingCell key={heading.label} {...heading} />
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}

function HeadingCell({ label, className, isHidden = false }: Heading) {
  return (
    <th scope="col" className={className}>
      {isHidden ? <span className="visually-hidden">{label}</span> : label}
    </th>
  );
}
