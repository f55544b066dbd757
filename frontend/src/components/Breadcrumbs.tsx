import { IconChevronRight } from "@tabler/icons-react";
import { Fragment, type ReactNode } from "react";

/** The way from the list to this page. Each child but the last is a link; the last one names the page. */
export function Breadcrumbs({ children }: { children: readonly ReactNode[] }) {
  return (
    <nav aria-label="Breadcrumbs" className="breadcrumbs">
      {children.map((child, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the parts never move
        <Fragment key={place}>
          {place > 0 && <IconChevronRight size={14} aria-hidden />}
          {place === children.length - 1 ? <span aria-current="page">{child}</span> : child}
        </Fragment>
      ))}
    </nav>
  );
}
