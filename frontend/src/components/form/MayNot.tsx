import { IconLock } from "@tabler/icons-react";
import { EmptyState } from "@/components/states";

interface MayNotProps {
  /** such as "create flows" */
  act: string;
  /** the first role that may */
  needs: "operator" | "admin";
}

/** A notice in place of a form that the role may not send. */
export function MayNot({ act, needs }: MayNotProps) {
  const title = `Your role may not ${act}`;
  return (
    <section className="card" aria-label={title}>
      <EmptyState icon={IconLock} title={title}>
        Ask an administrator for the {needs} role.
      </EmptyState>
    </section>
  );
}
