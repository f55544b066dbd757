import type { ReactNode } from "react";

interface FormSectionProps {
  /** none if the heading above the form says it */
  title?: string;
  text: ReactNode;
  children: ReactNode;
}

/** A part of a form: what it is about, and its fields beside it. */
export function FormSection({ title, text, children }: FormSectionProps) {
  return (
    <section className="form-section" aria-label={title}>
      <header>
        {title !== undefined && <h2>{title}</h2>}
        <div className="form-hint">{text}</div>
      </header>
      <div className="form-fields">{children}</div>
    </section>
  );
}
