import { memo, type ReactNode, Suspense } from "react";
import { lazyPart } from "@/lib/view/lazy-part";

const DefinitionNote = lazyPart(
  () => import("@/components/definition/Definition"),
  ({ Definition }) => Definition,
);
const Note = lazyPart(
  () => import("@/components/definition/TermNote"),
  ({ TermNote }) => TermNote,
);

const later = (note: ReactNode) => <Suspense fallback={null}>{note}</Suspense>;

type DefinitionProps = Parameters<typeof import("@/components/definition/Definition").Definition>[0];
type TermProps = Parameters<typeof import("@/components/definition/TermNote").TermNote>[0];

/** The question mark of a metric, loaded after the first paint. */
export const LaterDefinition = memo((props: DefinitionProps) => later(<DefinitionNote {...props} />));

/** The question mark of a term, loaded after the first paint. */
export const LaterTerm = memo((props: TermProps) => later(<Note {...props} />));
