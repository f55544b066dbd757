import { Button } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";

/** A command or a file with a button that copies it. */
export function CopyText({ text, label }: { text: string; label: string }) {
  const [isCopied, setCopied] = useState(false);
  const copy = () => void navigator.clipboard.writeText(text).then(() => setCopied(true));
  const Icon = isCopied ? IconCheck : IconCopy;
  return (
    <div className="copy-text">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section tabIndex={0} aria-label={label}>
        <pre>{brokenAtSpaces(text)}</pre>
      </section>
      <Button size="xs" variant="default" leftSection={<Icon size={14} aria-hidden />} onClick={copy}>
        {isCopied ? "Copied" : "Copy"}
      </Button>
    </div>
  );
}

/** Breaks lines after spaces and slashes, never after the hyphens of an option or a name. */
function brokenAtSpaces(text: string): ReactNode[] {
  return text.split(/(\S*-\S*)/).flatMap((part, place): ReactNode[] =>
    place % 2 === 0
      ? [part]
      : part.split(/(?<=\/)/).map((piece, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never move
          <span key={`${place} ${at}`} className="nowrap">
            {piece}
          </span>
        )),
  );
}
