import { type ReactNode, useId } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { classesOf } from "@/lib/classes";
import { focusOpened } from "@/lib/view/focus";

interface CardProps {
  title: string;
  /** the place of the card in addresses; absent: none */
  id?: string;
  note?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
  className?: string;
  /** true: the card has just opened, and its heading takes the focus */
  hasFocus?: boolean;
}

/** A titled part of a page; an error in its note, tools or content leaves the rest. */
export function Card({ title, id, note, tools, children, className, hasFocus = false }: CardProps) {
  const titleId = useId();
  return (
    <section id={id} className={classesOf("card", className)} aria-labelledby={titleId}>
      <header className="card-head">
        <div className="card-title">
          <h2 id={titleId} ref={hasFocus ? focusOpened : undefined} tabIndex={hasFocus ? -1 : undefined}>
            {title}
          </h2>
          {note !== undefined && (
            <ErrorBoundary what={`Note of ${title}`} isSmall>
              <span className="card-note">{note}</span>
            </ErrorBoundary>
          )}
        </div>
        {tools !== undefined && (
          <ErrorBoundary what={`Tools of ${title}`} isSmall>
            <div className="card-tools">{tools}</div>
          </ErrorBoundary>
        )}
      </header>
      <ErrorBoundary what={title}>{children}</ErrorBoundary>
    </section>
  );
}
