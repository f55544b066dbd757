import { type ReactNode, useId } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { classesOf } from "@/lib/classes";
import { focusOpened } from "@/lib/view/focus";

interface CardProps {
  title: string;
  note?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
  className?: string;
  /** true: the card has just opened, and its heading takes the focus */
  hasFocus?: boolean;
}

/** A titled part of a page with its own error boundary. */
export function Card({ title, note, tools, children, className, hasFocus = false }: CardProps) {
  const titleId = useId();
  return (
    <section className={classesOf("card", className)} aria-labelledby={titleId}>
      <header className="card-head">
        <div className="card-title">
          <h2 id={titleId} ref={hasFocus ? focusOpened : undefined} tabIndex={hasFocus ? -1 : undefined}>
            {title}
          </h2>
          {note !== undefined && <span className="card-note">{note}</span>}
        </div>
        {tools !== undefined && <div className="card-tools">{tools}</div>}
      </header>
      <ErrorBoundary what={title}>{children}</ErrorBoundary>
    </section>
  );
}
