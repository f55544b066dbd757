import type { ReactNode } from "react";
import { classesOf } from "@/lib/classes";

interface Heading {
  label: string;
  className?: string | undefined;
}

interface PlainTableProps {
  /** names the region that scrolls */
  label: string;
  headings: readonly Heading[];
  className?: string;
  /** the rows */
  children: ReactNode;
}

/** A table whose rows have one order. */
export function PlainTable({ label, headings, className, children }: PlainTableProps) {
  return (
    <section
      className={classesOf("table-scroll", className)}
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table className="table">
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading.label} scope="col" className={heading.className}>
                {heading.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
