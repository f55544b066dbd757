import { type ReactNode, useEffect, useRef } from "react";
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
