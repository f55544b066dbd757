import { HelpNote } from "@/components/definition/HelpNote";
import type { TERM_MEANINGS } from "@/components/definition/meanings";

export type Term = keyof typeof TERM_MEANINGS;

/** A question mark that shows what a term means that is no metric. */
export function TermNote({ term, name }: { term: Term; name: string }) {
  const read = async () => {
    const { TERM_MEANINGS } = await import("@/components/definition/meanings");
    return `${TERM_MEANINGS[term]}.`;
  };
  return <HelpNote name={name} read={read} />;
}
