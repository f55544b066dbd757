import { IconChevronRight } from "@tabler/icons-react";
import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { setPageTitle } from "@/lib/title";

interface PageTitleProps {
  title: string;
  heading?: ReactNode;
  children?: ReactNode;
}

let isFirstPage = true;

/** The `h1` of the page. It is focused after a navigation, so that screen readers start reading there. */
export function PageTitle({ title, heading, children }: PageTitleProps) {
  const ref = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    setPageTitle(title);
    if (!isFirstPage) ref.current?.focus({ preventScroll: true });
    isFirstPage = false;
  }, [title]);
  return (
    <div className="page-title">
      <h1 ref={ref} tabIndex={-1}>
        {heading ?? title}
      </h1>
      {children}
    </div>
  );
}

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
