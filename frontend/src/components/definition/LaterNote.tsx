import { lazy, memo, type ReactNode, Suspense } from "react";

const DefinitionNote = lazy(async () => ({
  default: (await import("@/components/definition/Definition")).Definition,
}));
const Note = lazy(async () => ({ default: (await import("@/components/definition/TermNote")).TermNote }));

const later = (note: ReactNode) => <Suspense fallback={null}>{note}</Suspense>;

type DefinitionProps = Parameters<typeof import("@/components/definition/Definition").Definition>[0];
type TermProps = Parameters<typeof import("@/components/definition/TermNote").TermNote>[0];

/** The question mark of a metric, loaded after the first paint. */
export const LaterDefinition = memo((props: DefinitionProps) => later(<DefinitionNote {...props} />));

/** The question mark of a term, loaded after the first paint. */
export const LaterTerm = memo((props: TermProps) => later(<Note {...props} />));
