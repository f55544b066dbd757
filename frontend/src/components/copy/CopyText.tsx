import { Button } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyIcon } from "@/components/copy/CopyIcon";
import { useCopy } from "@/components/copy/useCopy";

/** A command or a file with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const { result, said = "Copy", copy } = useCopy();
  return (
    <div className="copy-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{brokenAtSpaces(text)}</pre>
      </section>
      <Button
        size="xs"
        variant="default"
        leftSection={<CopyIcon result={result} size={14} />}
        onClick={() => copy(text)}
      >
        <span aria-live="polite">{said}</span>
      </Button>
    </div>
  );
}

/** Breaks lines after spaces, slashes, commas and ampersands; within a name or an option only if it is too long. */
function brokenAtSpaces(text: string): ReactNode[] {
  return text.split(/(\S*[-/,&]\S*)/).flatMap((part, place): ReactNode[] =>
    place % 2 === 0
      ? [part]
      : part.split(/(?<=[/,&])/).map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <span key={`${place} ${at}`}>{piece}</span>
        )),
  );
}
