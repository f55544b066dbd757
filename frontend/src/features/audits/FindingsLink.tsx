import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

/** A link that shows the findings of an audit. */
export function FindingsLink({ audit_id, children }: { audit_id: number; children: ReactNode }) {
  return (
    <Link
      from="/replications/$source/$target"
      to="."
      search={(before) => ({ ...before, audit: audit_id })}
      resetScroll={false}
    >
      {children}
    </Link>
  );
}
