import { type ReactNode, useId } from "react";
import { ErrorBoundary } from "@/components/ErrorBoundary";
import { classesOf } from "@/lib/classes";

interface CardProps {
  title: string;
  note?: ReactNode;
  tools?: ReactNode;
  children: ReactNode;
  className?: string;
}

/** A titled part of a page with its own error boundary. */
export function Card({ title, note, tools, children, className }: CardProps) {
  const titleId = useId();
  return (
    <section className={classesOf("card", className)} aria-labelledby={titleId}>
      <header className="card-head">
        <h2 id={titleId}>{title}</h2>
        {note !== undefined && <span className="card-note">{note}</span>}
        {tools !== undefined && <div className="card-tools">{tools}</div>}
      </header>
      <ErrorBoundary what={title}>{children}</ErrorBoundary>
    </section>
  );
}
